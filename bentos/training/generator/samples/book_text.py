"""Prose of the sample book. A chapter is a list of paragraphs; `# ` opens a section, `> ` a quotation.

`[^n: text]` is a footnote at the place where it stands.
"""

from __future__ import annotations

PREFACE = [
    "I came to Port Ansgar to write an article of two pages about an old instrument. The keeper, Asta Lindqvist, gave "
    "me the key to the tide house, a cup of coffee, and the advice to read the last column first. I stayed for three "
    "summers.",
    "What follows is not a history of the measurement of the sea; there are good ones, and the Institute will lend "
    "them. It is the history of a room in which somebody has looked at a wall twice a day since 1868 and written down "
    "what the water did. I have tried to let those people speak who held the pencil.",
    "Part One tells how the house came to be built, how it got its lamp, and what is in its ledgers. Part Two follows "
    "the work through a day, through the seasons and through the storms. Part Three gives the log of one spring and "
    "summer, so that the reader may hear the tone of it. The tables are at the end, where tables belong.",
    "My thanks go to the town archive, to the pilots, to the family of Ruth Sandgren for three pages with a bath tub, "
    "and to the cat, who is the ninth of her line in the house. Whatever is wrong in this book has been read aloud "
    "before it was written, and is therefore decided upon.",
]

PARTS: dict[str, dict[str, list[str]]] = {
    "The House": {
        "A House with Its Feet in the Water": [
            "The tide house of Port Ansgar is a small building for so long a history. It measures four paces by five. "
            "It stands at the end of the eastern quay on a foot of granite, with a door to the landward side, a window "
            "to the seaward side, and a hole in the floor. Everything that this book has to tell has gone through that "
            "hole.",
            "When the house was built, in the spring of 1868, nobody in the town thought of the sea as a thing to be "
            "measured. The pilots knew the tide by the weed on the steps, and the fishermen by the smell. It was the "
            "harbour board that wanted a number, and it wanted it because of a quarrel. Two captains had run aground "
            "within a week on the same bar, both with a pilot on board and a tide table in the chart room, and the "
            "board wished to know whether the pilots were bad or the table was.[^1: Minutes of the Harbour Board, "
            "3 March 1867. The captains were Ole Brandt of the <i>Fidelity</i> and J. Marsh of the <i>Two "
            "Sisters</i>.]",
            "The table was. It had been computed for a harbour forty miles to the south, by adding an hour and ten "
            "minutes, and the hour and ten minutes had been somebody's guess. The board dismissed nobody, bought two "
            "new tables, and asked the schoolmaster what it would cost to have a table of one's own.",
            "# The schoolmaster",
            "Elias Vantongeren taught arithmetic, singing and navigation in a room above the sail loft. He was then "
            "thirty-one years old and is described as a man who could not pass a thermometer without reading it. He "
            "answered the board in four pages, of which three are about the kind of pencil to be used.",
            "> A level that is not written down at once, by the hand that read it, with the hour, has not been "
            "observed. It has been remembered, and the sea is not to be remembered.",
            "The fourth page held a drawing: a tube of iron let down through a floor, closed below but for a hole of "
            "the width of a thumb; in the tube a float of copper; above it a wheel, a pencil and a drum of paper "
            "turned by a clock. He had seen such a machine once, he wrote, in an engraving, and thought that he could "
            "make a better one.",
            "He could not, as it turned out. The first float leaked and the second stuck. The third, made by a "
            "coppersmith from the shape of a goose egg, went up and down for fifty-three years and lies today in a "
            "glass case in the town hall, a little to the left of the mayor's chain.",
            "# The building",
            "The granite came from the quarry at Holm and the roof from a ship. The sum for the whole was 412 crowns, "
            "of which 90 were for the clock. The door was put to the landward side so that the keeper need never turn "
            "his back on a wave; the window was made so small that a man could not climb through it, after a "
            "discussion of two evenings whose point is no longer clear.",
            "A bench mark was cut into the third step, a horizontal line with an arrow below, and from the line to the "
            "zero of the gauge a steel tape was let down on a calm day with the whole board looking on. The distance "
            "was found to be five metres and two hundred and eleven millimetres. It has been measured again more than "
            "a hundred times, and the largest difference ever found was three millimetres.[^2: The second edition of "
            "the <i>Rules</i> gives 5.212 m. The tape was kept in a box of salt, which did not help.]",
            "On the first of June 1868, at six minutes past four in the morning, Vantongeren let the pencil down on "
            "the paper. The first line in the ledger reads: wind south-west, light; sea smooth; low water 0.74; a "
            "seal.",
        ],
        "The Lamp": [
            "There was a lamp because the first keeper was afraid of the dark, or because the first assistant was; the "
            "accounts differ. It was a ship's lamp with a red glass on one side. It was lit at sunset, for the reading "
            "of the night, and put out at sunrise, and since it could be seen from the whole harbour, the town got "
            "into the habit of taking its hours from it.",
            "This is how a private convenience became a public duty. In the autumn of 1871 the lamp was out for three "
            "nights, because Vantongeren had a fever, and the board received eleven letters. It voted 20 crowns a year "
            "for oil and entered the lamp in the list of lights, as a fixed red, visible for one mile, not to be used "
            "for navigation.",
            "# A light not to be used",
            "Of course it was used. The pilots brought it into line with the window of the church, which gave them the "
            "channel, and when the church had its window replaced by a darker one in 1880, there was an outcry. The "
            "lamp and the window are on the chart of that year, joined by a thin line, with the remark that the line "
            "is nearly right.",
            "Twice the lamp did what no list of lights had asked of it. In December 1883 the mail steamer came in "
            "before a gale with her compass gone and found the bar by the red light alone. And in 1917, when all "
            "lights on the coast were dark by order, the keeper kept his lit behind a board, with a hole in the board "
            "that could be seen only from the boats of men whose names he knew.[^3: He was fined five crowns and "
            "given, by the boats, a barrel of herring.]",
            "# The keepers' wives",
            "The list of keepers in Appendix B has fourteen names on it. It ought to have more. Between the lines of "
            "the ledger a second hand appears whenever the first is ill, at sea, at a wedding or at an election, and "
            "it is a steadier hand. In the years of Jonas Pell, from 1894 to 1911, it wrote two readings of every "
            "five.",
            "Her name was Marit Pell. She was never paid, never named in a report, and never wrong by more than a "
            "centimetre, so far as a comparison with the paper rolls can show. When her husband drowned, on an errand "
            "that had nothing to do with the tide, she kept the station for seven months, in her own name, while the "
            "board looked for a man.",
            "> Low water 0.61. Wind north, strong. The board came to see the house and found it dry.",
            "That is the whole entry for the day on which the board, having found nobody, offered her the post. She "
            "declined it by taking the lamp home. It hung in her kitchen until 1936.",
        ],
        "The Ledger": [
            "The ledger is not one book but sixty-one. The first twelve are bound in sailcloth, the next thirty in the "
            "black oilcloth of the school copybook, the others in whatever could be had. They fill a shelf of three "
            "metres and eighty centimetres, and there is no page in them without the mark of a wet thumb.",
            "Every line has the same seven columns: the date, the hour, the water, the wind, the sea, the barometer, "
            "and the last one, which has no name. The printed heads of later years call it Remarks. In the first book "
            "the head is missing, and what stands below is what the keeper saw fit to add.",
            "# The column without a name",
            "It is for this column that the ledgers are read today. The water levels have long been punched, taped "
            "and copied, and one can have a hundred and twenty years of them in a second. The remarks were copied only "
            "once, by hand, by a retired teacher, and filled nine hundred pages.",
            "They begin as notes on the instrument: pencil blunt, clock four minutes slow, float cleaned. Then the "
            "harbour comes in: the arrivals, the ice, a whale, the price of coal. In bad years the remarks are short. "
            "On the ninth of April 1940 there is only a line drawn through the column with a ruler.",
            "# What the numbers say",
            "A mean of all readings of a year is a quiet number. Taken over a century, the numbers rise: by eleven "
            "centimetres in the first hundred years, and by seven in the twenty that followed. The rise is written in "
            "the same copybooks, by men and women who saw one reading at a time and could not have noticed it.",
            "It was noticed in 1934, by Asbjorn Reyes, the ninth keeper, who had been a bank clerk and added up "
            "columns for pleasure. He wrote to the board that either the sea had risen or the quay had sunk, and that "
            "he would be obliged for a level. The board replied that quays do not sink. It was the first time that "
            "anyone had asked the question for which the house is now known.[^4: The levelling of 1935 found that the "
            "quay had sunk by four millimetres since 1868, a quarter of what Reyes had found in the sea.]",
            "> I have added it three times, once from below. It comes to the same.",
            "Figure 1 shows the means of ten years each. The step between the fourth and the fifth bar is not the "
            "sea's. In 1911 the old float was replaced, and for nine years its successor stood eight millimetres too "
            "high, because somebody had painted it.",
        ],
    },
    "The Work": {
        "Two Readings a Day": [
            "A day at the tide house has always had two fixed points, and they move. High water comes fifty minutes "
            "later each day, and with it the keeper. In one fortnight he goes through all hours of the clock, so that "
            "no keeper was ever on time for dinner for more than three days running.",
            "The machine writes by itself. Why then read? Because a machine that is not compared drifts, and because "
            "one that is compared can be trusted in between. Twice a day, at high and at low water, the keeper reads "
            "the staff on the wall, writes the number, and beside it the number under the pencil. The difference is "
            "called the error, and the error is what he is paid for.",
            "# How to read a staff",
            "The sea is never still. To read it, one watches the water climb and fall along the staff for ten breaths, "
            "remembers the highest and the lowest of the small waves, and takes the middle. Beginners look at the "
            "crest, because it shines, and read too high. After some weeks the eye learns to wait.",
            "There is a rule that a reading must be spoken aloud before it is written. It goes back to the second "
            "keeper, Harald Voss, who was hard of hearing and wished to be told. It was kept, because it turned out "
            "that a number which has been said is a number which has been decided upon.",
            "# The night reading",
            "In a hundred and twenty years of nights there are, by the count of the retired teacher, 311 in which no "
            "reading was made. Storms account for 140 of these and war for 96. The others have reasons, all of them "
            "given: a birth, a death, a fire in the bakery, and one time, in 1929, the words <i>I was reading a "
            "novel</i>.",
            "The name of the novel is not given.[^5: The library of Port Ansgar lent eleven books on that day. Opinion "
            "in the Institute leans towards the second volume of something.]",
        ],
        "Clocks, Paper and Ink": [
            "Whoever measures the sea measures time as well, since a level without an hour is worth nothing. The first "
            "clock cost 90 crowns and lost a minute a day. It was set by the noon gun of the fort, until it was found "
            "that the gunner set his watch by the lamp of the tide house.",
            "The circle was broken by the telegraph. From 1889 a signal came from the observatory on every Monday at "
            "noon, and the error of the clock was entered in red. The red numbers form a curve of their own, with a "
            "wave of a year's length, for the pendulum was of brass and grew in summer.",
            "# Paper",
            "The drum takes a sheet of sixty by forty-two centimetres, and turns once in a day. Since the tide of the "
            "next day falls into other hours, a sheet can be used for a week before the lines become a thicket. The "
            "board, which paid for the paper, held that it could be used for two.",
            "Paper is alive. It stretches in wet air by one part in two hundred, which on the scale of the drum is "
            "four millimetres of sea. The third keeper dried his sheets in the oven; the fifth varnished them; the "
            "ninth, the bank clerk, ruled a line of known length on every sheet and divided by what it had become. It "
            "was the first correction that could be undone, and therefore the first good one.",
            "# Ink",
            "Pencil smears and ink freezes. In the cold of 1893 the ink froze in the pen on nineteen days, and the "
            "keeper, who had a cold himself, added spirits. How much is not recorded, but the curve of the next days "
            "is unusually smooth.",
            "> The pen has today drawn a straight line from noon until four. The sea has not.",
            "After trials with oil, glycerine and the juice of elderberries, the Institute has used the same ink since "
            "1926, a violet one that is made for postal stamps. The last bottle was opened in 1988, and is kept, half "
            "full, for the three stations that still write on paper.",
            "# From the drum to the drawer",
            "A finished sheet was taken off, dated, signed, rolled and put into a tin. Once in a quarter the tins went "
            "to the office, where two computers, as persons were called who computed, read off the hourly heights with "
            "a glass scale. It took them one hour for a day of sea. In 1958 a machine was bought that did it in ten "
            "minutes, and the two computers were kept, to find the machine's mistakes. They found one in the first "
            "week.",
        ],
        "Storms": [
            "A storm is to a tide gauge what an examination is to a pupil. For weeks it writes the same round curves, "
            "and one night it is asked something else. Of the nine highest waters in Table 1, four were read by eye "
            "because the machine had stopped, and those are the four that are most often quoted.",
            "# The water of 1901",
            "It came on the fourteenth of November, at the top of a spring tide, after three days of wind from the "
            "north-west. At nine in the evening the water stood at the threshold of the house; at ten it was inside. "
            "Jonas Pell took the drum from its axle, wrapped it in his coat, and went out of the window which had been "
            "made so small that no man could climb through it.",
            "Marit Pell had stayed on the quay with a lantern and a boat hook. With the hook she made a scratch in the "
            "granite of the third step at every quarter of an hour. The scratches are still there: seven of them, the "
            "uppermost at three metres and ninety-four, and they are the only record of the highest water that Port "
            "Ansgar has seen.[^6: A plaque of 1951 marks the place, and is two centimetres too low.]",
            "# The storm that was not",
            "On the second of February 1953 the whole coast waited for a flood that had drowned two thousand people "
            "further south. The keeper sat by the drum all night. The pen rose, stopped, and went down again: forty "
            "centimetres above the table, no more. The wind had turned an hour too early, or the moon had been an hour "
            "too late.",
            "> Nothing has happened, and I have never been so tired.",
            "# The ninth of January",
            "In the storm of last year the water reached three metres and seventy-one. It was read by a radar, twice a "
            "second, on a screen forty miles away, by a duty officer with a cup of tea. The old float in its tube was "
            "running beside it, for comparison. The two agreed within six millimetres until four in the morning, when "
            "the radar lost its power, and the float went on.",
            "In the morning the keeper came down the quay, unlocked the door on the landward side, looked at the "
            "staff, waited for ten breaths, and said a number aloud.",
        ],
        "Letters to the Board": [
            "The board kept what it was sent. Eleven boxes of letters stand in the cellar of the town hall, under the "
            "mayor's chain, and one of them is marked Tide. Nobody had opened it between 1951 and the week in which "
            "this chapter was written. It holds 204 letters, two bills for oil, and a dried starfish.",
            "# Complaints",
            "Most people who write to an office wish to complain, and the tide gave them cause. A ship's agent of 1879 "
            "had lost a day's hire, because the table had promised nine feet and the sea had kept one of them back. A "
            "bathing master asked that high water be put off until after church. The washerwomen of Weir Lane, in a "
            "letter signed with nine crosses, wished to know by what right the house had a drain.",
            "> We do not ask that the water be warm. We ask to be told when it is there.",
            "The answers were written by the keepers and are short. To the agent: the wind. To the bathing master: the "
            "moon. To the washerwomen the board sent a plumber, and in the ledger of that week the remark is found: "
            "the drain is ours, they were right.",
            "# Questions",
            "From about 1900 the letters begin to ask for numbers. An insurance company wants the highest water of "
            "twenty years. A builder of bridges wants the lowest. A poet, who gives a hotel as his address, wants to "
            "know whether the sea is ever quite still, and is told that it was, for eleven minutes, on the sixth of "
            "August 1898, at four in the afternoon.[^7: The sheet of that day shows a line as if drawn with a ruler. "
            "It also shows, in pencil, a circle left by a cup.]",
            "The best of the questions came from a girl of ten, Ruth Sandgren of Salt Street, in the spring of 1941. "
            "She had seen the pencil move and wished to know where the water goes when it goes down. The answer fills "
            "three pages, in the hand of Asbjorn Reyes, with a drawing of the earth, a drawing of the moon, and a "
            "drawing of a bath tub. Twenty-eight years later she became the twelfth keeper.",
            "# The last letter",
            "The last letter in the box is from the Institute, which had by then taken over the house, and it is "
            "addressed to the board, which had by then no say in it. It asks for permission to remove the lamp. On the "
            "back somebody has drawn a small lamp with rays, and below it the words: lit again tonight.",
        ],
    },
}

GLOSSARY: dict[str, str] = {
    "Bench mark": "A lasting mark in rock or masonry whose height is known, and from which the zero of a gauge is "
    "checked.",
    "Bar": "A bank of sand across the mouth of a harbour. The depth over the bar at high water decides who may enter.",
    "Bore": "The inner width of a tube. Not to be confused with the wave of that name, which Port Ansgar does not "
    "have.",
    "Datum": "The level from which heights are counted. Choosing a datum takes an afternoon; changing it takes a "
    "generation.",
    "Drum": "The cylinder that carries the paper of a recording gauge, turned by a clock once a day.",
    "Error": "The difference between the staff and the pen. It has a sign, and the sign must be written.",
    "Float": "A hollow body of copper that follows the water in the well.",
    "Intake": "The narrow opening through which the sea enters the well. It lets the tide in and keeps the waves out.",
    "Keeper": "The person who reads. Appendix B lists those whose names are known.",
    "Ledger": "The book into which readings are written at once, by the hand that made them.",
    "Neap": "A tide of small range, near the quarters of the moon.",
    "Range": "The difference of height between a high water and the low water that follows it.",
    "Remarks": "The seventh column.",
    "Slack water": "The time about high or low water at which the level hardly changes, and a reading is easiest.",
    "Spring": "A tide of great range, near new and full moon. It has nothing to do with the season.",
    "Staff": "A graduated board on a wall, read by eye. Everything else is checked against it.",
    "Stilling well": "The tube in which the float moves, protected from the waves.",
    "Surge": "What wind and air pressure add to the tide, or take from it.",
    "Tape": "A ribbon of steel by which the distance from the bench mark to the zero of the gauge is measured.",
}

KEEPERS: list[tuple[str, str, str, str]] = [
    ("1", "Elias Vantongeren", "1868–1881", "schoolmaster"),
    ("2", "Harald Voss", "1881–1886", "gunner of the fort"),
    ("3", "Peder Anskjold", "1886–1894", "baker; dried his paper in the oven"),
    ("4", "Jonas Pell", "1894–1911", "ship's carpenter"),
    ("5", "Marit Pell", "1911", "kept the station for seven months; declined the post"),
    ("6", "August Lindqvist", "1911–1919", "sailmaker"),
    ("7", "Thora Lindqvist", "1919–1924", "daughter of the sixth keeper"),
    ("8", "Bertil Osman", "1924–1931", "postmaster; chose the ink"),
    ("9", "Asbjorn Reyes", "1931–1950", "bank clerk"),
    ("10", "Ingeborg Halloran", "1950–1957", "telegraphist"),
    ("11", "Karl Anton Weil", "1957–1969", "teacher of physics"),
    ("12", "Ruth Sandgren", "1969–1979", "computer; found the machine's mistake"),
    ("13", "Asta Lindqvist", "1979–2023", "granddaughter of the sixth keeper"),
    ("14", "Samuel Okafor", "since 2023", "instrument maker"),
]

HIGH_WATERS: list[tuple[str, str, str, str]] = [
    ("14 November 1901", "3.94", "north-west, storm", "scratches in the step"),
    ("9 January 2023", "3.71", "west, storm", "radar and float"),
    ("27 December 1883", "3.68", "north-west, storm", "staff, by lantern"),
    ("3 February 1976", "3.66", "north, gale", "float"),
    ("21 October 1949", "3.60", "north-west, gale", "staff"),
    ("5 December 1999", "3.57", "west, gale", "float"),
    ("11 March 1934", "3.55", "north, gale", "float"),
    ("30 January 1877", "3.53", "north-west, storm", "staff"),
    ("18 September 2017", "3.52", "west, gale", "radar"),
]

DECADES: list[tuple[str, float]] = [
    ("1870s", 0), ("1880s", 6), ("1890s", 13), ("1900s", 18), ("1910s", 37), ("1920s", 45), ("1930s", 51),
    ("1940s", 60), ("1950s", 73), ("1960s", 88), ("1970s", 104), ("1980s", 127), ("1990s", 151), ("2000s", 178),
]  # fmt: skip

INDEX: list[str] = [
    "barometer", "bar, the", "bench mark", "board, harbour", "Brandt, Ole", "captains", "church", "clock",
    "computers", "coppersmith", "drum", "elderberries", "error", "float", "fort", "granite", "gun, noon", "Holm",
    "ice", "ink", "keeper", "lamp", "ledger", "moon", "novel", "oven", "paper", "Pell, Jonas", "Pell, Marit",
    "pencil", "pilots", "quay", "radar", "remarks", "Reyes, Asbjorn", "seal", "staff", "storm", "tape", "telegraph",
    "threshold", "Vantongeren, Elias", "Voss, Harald", "whale", "window",
]  # fmt: skip
