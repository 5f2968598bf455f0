"""English words of numbers and months, and short units."""

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_SMALL += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS += (
    " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_MONTHS = "january february march april may june july august september october november december"
_UNITS = (
    "km m cm mm nm mi ft in yd inch kg g mg lb lbs oz l ml cl gal qt kb mb gb tb kbps mbps gbps"
)
_UNITS += " hz khz mhz ghz w kw kwh mw v mv mah ah wh a ma s sec secs ms min mins h hr hrs d wk mo"
_UNITS += " yr yrs am pm mph kph kmh rpm dpi fps px pt pts pcs pc pk ct x sq c f cal kcal bn mn mp"
_UNITS += " usd eur gbp"

SMALL_NUMBERS = {word: number for number, word in enumerate(_SMALL.split())}
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
POWERS = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
MONTHS = tuple(_MONTHS.split())
SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"sept": "september"}
UNITS = frozenset(_UNITS.split())
