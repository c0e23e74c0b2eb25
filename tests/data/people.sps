* Writes people.sav, people.zsav and people.por by PSPP, which shares no code with the library that reads them here.
set locale='UTF-8'.
data list list (",") /sex(f1.0) income(f8.2) town(a8) born(adate10) seen(datetime20) woke(time8) ill(f2.0).
begin data
1,-2.5,Köln,03/01/1980,31-DEC-1999 23:59:58,06:30:00,0
1,12.25,Köln,02/29/2000,31-DEC-1999 23:59:58,06:30:00,0
2,12.25,Bonn,03/01/1980,01-JAN-2000 00:00:03,23:59:59,1
2,-2.5,Bonn,03/01/1980,01-JAN-2000 00:00:03,07:15:30,1
2,99,Köln,10/15/1582,15-MAR-1900 12:00:00,,-9
3,98,Bonn,,,00:00:00,-8
9,96,a b,12/31/2024,29-FEB-2000 00:00:00,06:30:00,1
,.125,,01/01/1600,31-DEC-1999 23:59:58,06:30:00,
end data.
variable labels sex 'Sex at birth' ill 'Ill since a year'.
value labels sex 1 'Male' 2 'Female' /ill 0 'No' 1 'Yes' -9 'Refused' -8 'Not asked' /town 'Köln' 'Cologne'.
missing values ill (-9,-8) /income (97 thru 99) /sex (9) /town ('a b').
save outfile='people.sav'.
save outfile='people.zsav' /zcompressed.
recode town ('Köln'='Cologne').
export outfile='people.por'.
