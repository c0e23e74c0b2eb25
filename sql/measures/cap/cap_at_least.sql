/*---
name    = "CAP_at_least"
title   = "Correct attribution probability from cells with a share of at least the threshold"
formula = "100 * sum of d_tq * (s_tq / s_q) over cells with s_tq / s_q >= tau, / N_d"
source  = "Raab, Nowok & Dibben, vignette 'disclosure' of synthpop 1.9-3, sect. 3.3 (the idea of a threshold tau; at tau = 1 it is DiSCO)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 11
says    = "A guess of {target} from synthetic records with the same {keys} would be right for {value} % of {denominator} people on average, counting only levels with a share of at least {at} among these records."
raises  = "Synthetic classes in which one level has a share of tau or more, and is true."
do      = "Look at how it falls with tau. At 1 it is DiSCO. At 0.9 it also has guesses that are almost as sure, which DiSCO does not count."
figures = ["curves"]
# unchanged by AND [n_syn → n_orig], n_syn [> → >=]: a class without synthetic records has no share and adds 0
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "{{ at_denominator }} * n_syn >= {{ at_numerator }} * n_syn_class AND n_syn > 0 AND n_orig > 0"
at      = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
said_at = "last"
each    = "CASE WHEN {{ risky }} THEN share_syn END"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig * share_syn ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
