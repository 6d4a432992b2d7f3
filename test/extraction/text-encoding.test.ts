import { expect, it } from 'vitest';
import { decodeText } from '../../functions/extraction/text-encoding.ts';
import { encode } from '../support/encode.ts';
import { sentences } from '../support/sentences.ts';

const { german, french, spanish, others, turkish, russian, japanese, chinese, korean } = sentences;
const western = german + french + spanish + others;
const corpora: [encoding: string, text: string][] = [
  ['windows-1252', western],
  ['windows-1254', turkish],
  ['windows-1251', russian],
  ['koi8-r', russian],
  ['ibm866', russian],
  ['shift_jis', japanese],
  ['euc-jp', japanese],
  ['gbk', chinese],
  ['euc-kr', korean],
];
const splitLines = (text: string) => text.trim().split('\n');
const decode = (bytes: Uint8Array) => decodeText(bytes).text;

it.each(corpora)('every sentence in %s is recognized, alone and among others', (encoding, text) => {
  const lines = splitLines(text);
  expect(lines.length).toBeGreaterThanOrEqual(30);
  expect(lines.filter((line) => decode(encode(line, encoding)) !== line)).toEqual([]);
  expect(decode(encode(text, encoding))).toBe(text);
});

it.each([
  ['windows-1252', 'It’s open'],
  ['windows-1252', 'Price: 5 €'],
  ['windows-1252', '© 2026 Muster GmbH'],
  ['windows-1252', '«CAFÉ»'],
  ['windows-1252', 'ÖFFNUNGSZEITEN FÜR KÖLN UND MÜNCHEN'],
  ['windows-1252', 'Það er ókeypis fyrir börn. Þú ert velkominn.'],
  ['windows-1251', 'ЧАСЫ РАБОТЫ С ДЕВЯТИ'],
  ['windows-1251', 'Цена: 100 руб. за iPhone 15'],
  ['windows-1251', 'Ми працюємо з понеділка по п’ятницю. Їжа та напої.'],
  ['koi8-r', 'Привет'],
  ['windows-1250', 'Otwarte od poniedziałku do piątku. Zażółć gęślą jaźń.'],
  ['windows-1253', 'Είμαστε ανοιχτά από Δευτέρα έως Παρασκευή.'],
  ['windows-1255', 'אנחנו פתוחים בימים ראשון עד חמישי. הכניסה לילדים חינם.'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'],
  ['windows-1253', 'Τηλέφωνο επικοινωνίας και ωράριο λειτουργίας'],
  ['windows-1253', 'Η είσοδος για τα παιδιά είναι δωρεάν.'],
  ['iso-8859-7', 'ΩΡΕΣ ΛΕΙΤΟΥΡΓΙΑΣ: Δευτέρα έως Παρασκευή'],
  ['windows-1255', 'שעות פתיחה'],
  ['windows-1255', 'נא להתקשר מראש כדי לקבוע תור.'],
  ['windows-1255', 'החנות סגורה בשבת ובחגים'],
  ['windows-874', 'เวลาทำการ'],
  ['windows-874', 'ร้านเปิดทุกวันจันทร์ถึงวันศุกร์'],
  ['windows-874', 'กรุณาโทรจองโต๊ะล่วงหน้า ราคา 100 บาท'],
  ['windows-1251', 'Пн–Пт'],
  ['windows-1256', 'نحن نعمل من الاثنين إلى الجمعة. الدخول مجاني للأطفال.'],
  ['big5', '我們的營業時間是週一至週五。請提前打電話預約。'],
  ['shift_jis', 'ﾃｽﾄ 料金は千円です'],
  ['windows-1252', '• Open: 9–5 • Menu™ “Lunch” £12½ – 25 m² × 3'],
  ['windows-1252', '1½ cups of rice, ¼ cup raw'],
  ['windows-1252', 'Wij hebben maar één tafel vrij'],
  ['windows-1252', '¹Siehe unten: Wohnfläche in m²'],
  ['windows-1250', 'Zbyt duży'],
  ['windows-1250', 'wyłącznie'],
  ['windows-1250', 'Dzieci mają wstęp bezpłatny'],
  ['iso-8859-2', 'Platba kartou je možná'],
  ['windows-1251', 'вход'],
  ['koi8-r', 'дата и время'],
  ['windows-1255', 'ערך ריק'],
  ['windows-1256', 'المواعيد بالهاتف، والدخول مجاني'],
  ['windows-874', 'ที่อยู่'],
  ['big5', '週一公休'],
  ['big5', '數值過大：預期'],
  ['iso-8859-15', 'Un bœuf, deux œufs : 12 €'],
  ['windows-1257', 'Mēs strādājam no pirmdienas līdz piektdienai, ieeja bērniem ir bezmaksas.'],
  ['windows-1257', 'Dirbame nuo pirmadienio iki penktadienio, vaikams įėjimas nemokamas. Ačiū už užsakymą.'],
  ['iso-8859-3', 'Laŭ la ĵaŭda horaro ĉio estas fermita ĝis la sesa, kaj ŝi revenos.'],
  ['macintosh', 'Öffnungszeiten: täglich für Gäste geöffnet, außer am Sonntag, Frühstück ab acht.'],
  ['macintosh', 'Le café est ouvert à midi, les élèves et les étudiants entrent gratuitement.'],
  ['x-mac-cyrillic', 'Мы работаем с понедельника по пятницу. Вход для детей бесплатный, я жду вас.'],
  ['koi8-u', 'Ми працюємо з понеділка по п’ятницю. Їжа та напої.'.replace('’', "'")],
])('a short text in %s is recognized: %s', (encoding, text) => {
  expect(decodeText(encode(text, encoding))).toEqual({ text, warnings: [] });
});

it('a text in UTF-16 that has a mark and no space is recognized', () => {
  const bytes = Buffer.from('\ufeff週一公休', 'utf16le');
  expect(decode(bytes)).toBe('週一公休');
  expect(decode(bytes.swap16())).toBe('週一公休');
});

// The text is "Frühstück für Gäste täglich geöffnet, außer am Sonntag", as DOS wrote it.
const dosText = Buffer.from(
  '4672816873748163 6b206681722047847374652074846769 63682067659466666e6574'.replaceAll(' ', ''),
  'hex',
);

it.each<[string, Uint8Array, string[]]>([
  [
    'has bytes without a meaning',
    Buffer.concat([encode(german, 'windows-1252'), Buffer.from(' \x81.', 'latin1')]),
    ['undecodable_bytes'],
  ],
  ['is in an encoding of DOS', dosText, ['uncertain_encoding']],
  ['is in Windows-1252', encode(western, 'windows-1252'), []],
  ['is in UTF-8', Buffer.from(western), []],
])('a text that declares no encoding and %s has the warnings %s', (_, bytes, codes) => {
  expect(decodeText(bytes).warnings.map(({ code }) => code)).toEqual(codes);
});

it('no sentence in an encoding that is recognized has a warning', () => {
  for (const [encoding, text] of corpora)
    for (const line of splitLines(text))
      expect(decodeText(encode(line, encoding))).toEqual({ text: line, warnings: [] });
});

it('Japanese text in ISO-2022-JP, whose bytes are ASCII, is recognized', () => {
  const hours = '1b2442314436483b7e3456244f36653b7e242b24691b2842';
  expect(decode(Buffer.concat([Buffer.from('Hours: '), Buffer.from(hours, 'hex')]))).toBe('Hours: 営業時間は九時から');
});

it('a text is recognized by a line that begins far behind its ASCII', () => {
  const ascii = 'An English line.\n'.repeat(60_000);
  expect(decode(Buffer.concat([Buffer.from(ascii), encode(russian, 'koi8-r')]))).toBe(ascii + russian);
});

it('every sentence in UTF-16 without a mark is recognized if it has a space or the end of a line', () => {
  for (const text of Object.values(sentences).flatMap((text) => [
    text,
    ...splitLines(text).filter((line) => / /.test(line)),
  ])) {
    const bytes = Buffer.from(text, 'utf16le');
    expect(decode(bytes)).toBe(text);
    expect(decode(bytes.swap16())).toBe(text);
  }
});

it('every sentence in UTF-8 is recognized beside a byte that is not', () => {
  const texts = Object.values(sentences).flatMap(splitLines);
  const several = texts.filter((text) => Buffer.byteLength(text.replace(/[\0-\x7f]/g, '')) > 2);
  expect(several.length).toBeGreaterThan(150);
  for (const text of several) {
    expect(decode(Buffer.concat([Buffer.from(text), Buffer.from([0xff])]))).toBe(`${text}\ufffd`);
    expect(decode(Buffer.concat([Buffer.from([0xe4]), Buffer.from(text)]))).toBe(`\ufffd${text}`);
  }
});
