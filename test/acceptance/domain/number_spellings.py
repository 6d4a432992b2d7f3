"""Prints valid numbers of many countries, each in the ways in which people and programs write it, as JSON: [kind, number, text]."""

import json
import random
import re

import phonenumbers
from phonenumbers import PhoneNumberFormat as Format

random.seed(45)
NUMBERS_PER_COUNTRY = 12


def valid_numbers(region):
    metadata = phonenumbers.PhoneMetadata.metadata_for_region(region)
    kinds = [metadata.fixed_line, metadata.mobile, metadata.toll_free, metadata.voip, metadata.premium_rate]
    examples = [kind.example_number for kind in kinds if kind and kind.example_number]
    found = set()
    for _ in range(5000):
        example = random.choice(examples)
        keep = random.randrange(1, len(example))
        ending = "".join(random.choice("0123456789") for _ in example[keep:])
        text = f"+{metadata.country_code}{example[:keep]}{ending}"
        number = phonenumbers.parse(text)
        if phonenumbers.is_valid_number_for_region(number, region) and e164(number) == text:
            found.add(text)
        if len(found) == NUMBERS_PER_COUNTRY:
            break
    return [phonenumbers.parse(text) for text in sorted(found)]


def e164(number):
    return phonenumbers.format_number(number, Format.E164)


def spellings(number):
    code = f"+{number.country_code}"
    national = phonenumbers.format_number(number, Format.NATIONAL)
    international = phonenumbers.format_number(number, Format.INTERNATIONAL)
    rest = international[len(code) :].strip(" -")
    rfc3966 = phonenumbers.format_number(number, Format.RFC3966)
    dotted = re.sub("[ -]", ".", international)
    return {
        "e164": e164(number),
        "international": international,
        "international with dashes": international.replace(" ", "\u2011").replace("-", "\u2013"),
        "international with dots": dotted,
        "country code in parentheses": f"({code}) {rest}",
        "rfc3966": rfc3966,
        "spreadsheet": f'="{international}"',
        "marked": f"\u202a{international}\u202c",
        "national with country code": f"{code} {national}",
        "national with country code and dashes": f"{code}-{re.sub('[ ()]+', '-', national).strip('-')}",
        "(0)": f"{code} (0){rest}",
        "(0) alone": f"{code} (0) {rest}",
        "(0) without spaces": f"{code}(0){phonenumbers.national_significant_number(number)}",
        "extension": f"{international} ext. 12",
        "rfc3966 extension": f"{rfc3966};ext=12",
        "rfc2806 post-dial": f"{rfc3966};postd=pp22",
        "decimal": f"{e164(number)}.0",
        "note": f"{international} (2)",
    }


regions = random.Random(7).sample(sorted(phonenumbers.SUPPORTED_REGIONS), 60)
always = ["AR", "BR", "BY", "CI", "CN", "DE", "FR", "GA", "GB", "HU", "IT", "JP", "KZ", "LT", "MX", "RU", "SM", "TM", "US", "VA"]
rows = [
    [kind, e164(number), text]
    for region in sorted({*regions, *always})
    for number in valid_numbers(region)
    for kind, text in spellings(number).items()
    if not re.search("[A-Za-z]", phonenumbers.format_number(number, Format.NATIONAL))
]
print(json.dumps(rows))
