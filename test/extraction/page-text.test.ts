import { expect, it } from 'vitest';
import { decodePage } from '../../functions/extraction/page-text.ts';
import { encode } from '../support/encode.ts';

const decode = (bytes: Uint8Array | string, contentType: string) => {
  const page = decodePage(Buffer.from(bytes), contentType);
  return 'text' in page ? page.text : page.failure;
};
const latin = Buffer.from('<p>caf\xe9 \x80</p>', 'latin1');
const meta = (charset: string, bytes: number[]) =>
  Buffer.concat([Buffer.from(`<meta charset="${charset}"><p>`), Buffer.from(bytes)]);
const russian = (before: string) => Buffer.concat([Buffer.from(before), encode('Часы', 'windows-1251')]);
const script = `<script>${'x'.repeat(1500)}</script>`;

it.each([
  ['its header names', Buffer.from([0x3c, 0x70, 0x3e, 0xcf, 0xf0, 0xe8]), 'text/html; charset=windows-1251', '<p>При'],
  ['its header names in quotes', Buffer.from([0xb0, 0xa1]), 'text/html; charset="EUC-KR"', '가'],
  ['its markup names', meta('shift_jis', [0x93, 0xfa, 0x96, 0x7b]), 'text/html', '<meta charset="shift_jis"><p>日本'],
  [
    'its markup names the old way',
    Buffer.concat([
      Buffer.from('<meta http-equiv="content-type" content="text/html; charset=gbk"><p>'),
      Buffer.from([0xd6, 0xd0]),
    ]),
    'text/html',
    '<meta http-equiv="content-type" content="text/html; charset=gbk"><p>中',
  ],
  [
    'its markup names behind the first kilobyte',
    russian(`<head>${script}<meta charset="windows-1251"></head><p>`),
    'text/html',
    `<head>${script}<meta charset="windows-1251"></head><p>Часы`,
  ],
  [
    'only a script and its body name',
    `<head>${'<!-- x -->'.repeat(200)}<script>'<meta charset="koi8-r">'</script></head><body><meta charset="koi8-r">Часы`,
    'text/html',
    expect.stringMatching(/Часы$/),
  ],
  [
    'its declaration of XML names',
    russian('<?xml version="1.0" encoding="windows-1251"?><html><p>'),
    'application/xhtml+xml',
    '<?xml version="1.0" encoding="windows-1251"?><html><p>Часы',
  ],
  [
    'its header names against its markup',
    meta('shift_jis', [0xc3, 0xa9]),
    'text/html; charset=utf-8',
    '<meta charset="shift_jis"><p>é',
  ],
  [
    'its BOM names against its header',
    Buffer.from([0xff, 0xfe, 0x41, 0x00, 0xe9, 0x00]),
    'text/html; charset=utf-8',
    'Aé',
  ],
  ['nobody names, in UTF-8', '<p>café €</p>', 'text/html', '<p>café €</p>'],
  ['nobody names, in no UTF-8', latin, 'text/html', '<p>café €</p>'],
  ['nobody names, in UTF-16', Buffer.from('<p>Часы работы</p>', 'utf16le'), 'text/html', '<p>Часы работы</p>'],
  [
    'nobody names, in UTF-8 with a damaged comment',
    Buffer.concat([Buffer.from('<!-- '), Buffer.from([0xff]), Buffer.from(' --><p>Öffnungszeiten für Größen')]),
    'text/html',
    '<!-- � --><p>Öffnungszeiten für Größen',
  ],
  ['nobody knows', latin, 'text/html; charset=klingon', '<p>café €</p>'],
  ['nobody may use', 'abc', 'text/html; charset=iso-2022-kr', '\ufffd'],
  ['its header names, but whose bytes are UTF-8', '<p>Käse 5 €', 'text/html; charset=ISO-8859-1', '<p>Käse 5 €'],
  [
    'its markup names, but whose bytes are UTF-8',
    '<meta charset="iso-8859-2"><p>Żółć',
    'text/html',
    '<meta charset="iso-8859-2"><p>Żółć',
  ],
  [
    'its declaration of XML names, but whose bytes are UTF-8',
    '<?xml version="1.0" encoding="windows-1252"?><p>Käse 5 €',
    'application/xhtml+xml',
    '<?xml version="1.0" encoding="windows-1252"?><p>Käse 5 €',
  ],
  ['of text, its header names, but whose bytes are UTF-8', 'Käse 5 €', 'text/plain; charset=latin1', 'Käse 5 €'],
  ['of several bytes its header names, and whose bytes may be UTF-8', 'éé', 'text/plain; charset=shift_jis', 'ﾃｩﾃｩ'],
  ['its header names, with one character that may be UTF-8', '<p>é', 'text/html; charset=windows-1252', '<p>Ã©'],
  ['of text, its header names', Buffer.from([0xe9]), 'text/plain; charset=iso-8859-1', 'é'],
  ['of text, nobody names', 'é', 'text/plain', 'é'],
])('a page in a character set that %s is decoded', (_, bytes, type, expected) => {
  expect(decode(bytes, type)).toEqual(expected);
});

it.each([
  ['text/html', 'html'],
  ['TEXT/HTML; charset=utf-8', 'html'],
  ['application/xhtml+xml', 'xhtml'],
  ['text/plain', 'text'],
  ['', 'html'],
])('a page of the type %j is decoded as %s', (type, kind) => {
  expect(decodePage(Buffer.from('<p>x</p>'), type)).toEqual({ kind, text: '<p>x</p>', warnings: [] });
});

it.each(['application/pdf', 'image/png', 'application/json', 'text/css', 'application/octet-stream'])(
  'a page of the type %s is rejected',
  (type) => {
    expect(decode('x', type)).toBe(`The page is neither HTML nor plain text but ${type}.`);
  },
);

it('a page that declares a binary file as text is rejected', () => {
  expect(decode(Buffer.from([1, 0, 2]), 'text/plain')).toBe('The page is declared as text, but is not text.');
});
