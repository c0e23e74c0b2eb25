"""What the page says beside the numbers: the three criteria, what each family does not mean, what to consider."""

INTERNAL = (
    "Internal report. It names levels and may list counts of real people: it is disclosive. Keep it where the original is kept, "
    "and use --report external for what leaves the house."
)
EXTERNAL = (
    "External report. It holds no level and no cell. Counts from 1 to {most}, the numbers made from them, and the numbers that "
    "would give them away are hidden and marked [c], for confidential."
)

# What a family of measures does not say; what it says is in the header of each measure.
LIMITS = {
    "identity": (
        "Nobody is found for certain: the synthetic record with the same keys was made up. It will be taken for the person's all "
        "the same. Nothing here says who knows these keys of anybody."
    ),
    "attribute": (
        "Only what seems certain and is true is counted, not what could be guessed with good odds. The intruder cannot tell a "
        "right answer from a wrong one: DiS counts both. A high value can come from one level that everybody would guess; the "
        "one-way check tells."
    ),
    "cap": (
        "An average over people, in which a few at high risk do not show. Much of it may be known from the target's shares "
        "alone: compare the baseline. It is no probability that an intruder tries."
    ),
    "protection": (
        "A difference. That the synthesis takes much away does not say that little is left; that it takes nothing away does not "
        "say that there was a risk."
    ),
    "k_anonymity": "Of the original and the keys alone: it says nothing of the synthetic file.",
    "l_diversity": "Of the original alone. Levels that differ in name may mean the same.",
    "neighbours": "Keys that differ count alike, however near their values are. Another distance would find other records.",
    "population_risk": "An estimate under a model of the population; it says nothing of the synthetic file.",
    "within": "How near a guess counts as right is a choice, made in the scenario.",
    "bounds": "What the counts allow at least, not what a synthesis reaches.",
    "matches": "Of people whose record is known to be the source of a synthetic one; an intruder does not know which.",
    "intruder": "It holds under the assumed way of making the file and no other, and for somebody who knows nearly all.",
}

OWN = "A measure of the user's own; its formula and source are what its file says."

CONSIDER = {
    "one_way": (
        "To consider: is the level that most of these people have one that everybody would guess? Then little was learnt, and it "
        "may be left out of the count with a reason. A sensitive level should stay counted, however common it is."
    ),
    "two_way": (
        "To consider: does the key settle the target by rule, as a young age settles marital status? Then the synthetic file "
        "revealed nothing, and the pair may be left out with a reason. A relation that is only strong should stay counted."
    ),
}

LINKABILITY = (
    "Not measured: whether a synthetic record belongs to a person can be measured only where it is known which record was made "
    "from whom (--aligned). That it was not measured does not say that records cannot be linked."
)
SUDA = "Singling out. Special uniques (SUDA) were not looked for; they have a run of their own: sqlrisk uniques."
SPECIAL = "Singling out. Of {uniques:,} uniques {special:,} are special (SUDA): few of the keys are enough to find them."
CRITERIA_SOURCE = (
    "The three criteria are those of Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216). The numbers "
    "inform a decision about them; none of them decides."
)

CHECKLIST = (
    "The synthetic file is labelled as synthetic.",
    "A subject expert has reviewed which columns an intruder may know, and which are sensitive.",
    "The numbers were compared with the original and with the baseline.",
    "One-way and two-way flags were looked at, and each exclusion has a reason.",
    "The people at highest risk were looked at, where the original is kept.",
    "Several syntheses, if they are released together, were also judged pooled.",
)
BLANKS = ("Prepared by", "Date", "Reviewed by", "Date of review", "Conditions", "To be reviewed again on", "Signature")
DECISIONS = ("Release", "Release on conditions", "Do not release")

CURVES = (
    "Percent of people whose target a guess gets right, where at least a share tau of the synthetic records with their keys "
    "supports it (CAP_at_least). At tau 1 it is DiSCO."
)
POOLS = "Percent of people, for an intruder who holds the first syntheses together."
ACCURACIES = (
    "Percent of people guessed right. Squares: without knowing anybody's keys, from the original's shares. Diamonds: from the "
    "synthetic file. Ring: from the original itself."
)
PERSONS = (
    "Box: the middle half of the people, with the median; whiskers: from 5 to 95 percent of the people; diamond: the mean. "
    "Broken line: the mean had the original been published. Highest mean first."
)
SHARES = "Percent of a file's records. Bars: the original; lines: each synthetic file. The most frequent levels."
ATTACKERS = (
    "Percent of people guessed right. Diamonds: trained on a synthetic file. Rings: trained on the original. Squares: without "
    "knowing anybody's keys."
)
