/** Country codes with the countries that share them. A number of these is dialed with a prefix within its country. */
const withPrefix =
  '1USAGAIASBBBMBSCADMDOGDGUJMKNKYLCMPMSPRSXTCTTVCVGVI 7RUKZ 20EG 27ZA 31NL 32BE 33FR 36HU 40RO 41CH 43AT 44GBGGIMJE 46SE 49DE 51PE 53CU 54AR 55BR 57CO 58VE 60MY 61AUCCCX 62ID 63PH 64NZ 66TH 81JP 82KR 84VN 86CN 90TR 91IN 92PK 93AF 94LK 95MM 98IR 211SS 212MAEH 213DZ 218LY 231LR 232SL 233GH 234NG 243CD 249SD 250RW 251ET 252SO 254KE 255TZ 256UG 260ZM 261MG 262REYT 263ZW 264NA 265MW 291ER 353IE 355AL 358FIAX 359BG 370LT 373MD 374AM 375BY 377MC 380UA 381RS 382ME 383XK 385HR 386SI 387BA 389MK 421SK 423LI 508PM 590GPBLMF 591BO 593EC 594GF 595PY 596MQ 598UY 686KI 692MH 850KP 855KH 856LA 880BD 886TW 961LB 962JO 963SY 964IQ 966SA 967YE 970PS 971AE 972IL 976MN 977NP 993TM 994AZ 995GE 996KG';
const withoutPrefix =
  '30GR 34ES 39ITVA 45DK 47NOSJ 48PL 52MX 56CL 65SG 216TN 220GM 221SN 222MR 223ML 224GN 225CI 226BF 227NE 228TG 229BJ 230MU 235TD 236CF 237CM 238CV 239ST 240GQ 241GA 242CG 244AO 245GW 246IO 247AC 248SC 253DJ 257BI 258MZ 266LS 267BW 268SZ 269KM 290SHTA 297AW 298FO 299GL 350GI 351PT 352LU 354IS 356MT 357CY 371LV 372EE 376AD 378SM 420CZ 500FK 501BZ 502GT 503SV 504HN 505NI 506CR 507PA 509HT 592GY 597SR 599CWBQ 670TL 672NF 673BN 674NR 675PG 676TO 677SB 678VU 679FJ 680PW 681WF 682CK 683NU 685WS 687NC 688TV 689PF 690TK 691FM 852HK 853MO 960MV 965KW 968OM 973BH 974QA 975BT 992TJ 998UZ';

const parseCodes = (text: string) =>
  text.split(' ').map((row) => ({ code: row.replace(/\D/g, ''), countries: row.match(/[A-Z]{2}/g) ?? [] }));
const all = [...parseCodes(withPrefix), ...parseCodes(withoutPrefix)];
const open = new Set(parseCodes(withoutPrefix).map(({ code }) => code));

/** Returns the time zones of a country. Browsers have them as a method or, earlier, as a property. */
const listTimeZones = (country: string): string[] => {
  const locale = new Intl.Locale('und', { region: country }) as { getTimeZones?(): string[]; timeZones?: string[] };
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
};

/** Codes that were found. A search over all countries takes a tenth of a second. */
const codesOfZones = new Map<string, string | undefined>();

/** Returns the code of the country in which a time zone lies. UTC is of no country. */
export const findZoneCode = (timeZone: string): string | undefined => {
  if (timeZone !== 'UTC' && !codesOfZones.has(timeZone)) {
    const zone = all.find(({ countries }) => countries.some((country) => listTimeZones(country).includes(timeZone)));
    codesOfZones.set(timeZone, zone?.code);
  }
  return codesOfZones.get(timeZone);
};

/** Returns the country code with which a number in E.164 format begins. */
export const findNumberCode = (number: string): string | undefined =>
  all.find(({ code }) => number.startsWith(`+${code}`))?.code;

/** Returns a number as people type it within a country, with the code of the country. The service removes a prefix behind it. */
export const addCountryCode = (text: string, findCode: () => string | undefined): string => {
  const typed = text.trim();
  const digits = typed.replace(/\D/g, '');
  const code = /^[\d(][\d\s()./-]*$/.test(typed) ? findCode() : undefined;
  if (code === undefined) return typed;
  const international = code === '1' ? /^011/ : /^00/;
  if (international.test(digits)) return `+${digits.replace(international, '')}`;
  if (code === '1') return digits.length === 10 ? `+1 ${typed}` : digits.length === 11 ? `+${digits}` : typed;
  if (digits.startsWith('0') || (code === '7' && /^8\d{10}$/.test(digits))) return `+${code} ${typed}`;
  // Many people leave out the plus. Seven more digits are the fewest of a number.
  if (digits.startsWith(code) && digits.length > code.length + 7) return `+${digits}`;
  return open.has(code) ? `+${code} ${typed}` : typed;
};
