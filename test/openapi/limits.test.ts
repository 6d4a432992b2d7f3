import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { formatLimit } from '../../functions/domain/format-limit.ts';
import { limits } from '../../functions/domain/limits.ts';
import { fillInLimits } from '../../functions/openapi/guides.ts';

/** The words after a number that tell what it counts, and the limits that it can be. Other words may be of any limit. */
const kinds: [words: RegExp, names: RegExp][] = [
  [/^(?:KB|MB|bytes)$/, /Bytes$/],
  [/^characters?$/, /(?:Characters|Units)$/],
  [/^(?:seconds|minutes|hours)$/, /Seconds$/],
  [/^days?$/, /Days$/],
];
const counts = /^(?!Bytes|Characters|Units|Seconds|Days).*(?<!Bytes|Characters|Units|Seconds|Days)$/;
const names = Object.keys(limits) as (keyof typeof limits)[];

/** Numbers that equal a limit, and are something else. */
const exceptions: Record<string, string[]> = {
  'bin/agents/folder.ts': ['500 KB'],
  'bin/local/demo/demo-texts.ts': ['24 hours'],
  'bin/local/rate-limits.ts': ['10,000'],
  'bin/outcomes/README.md': ['256 KB', '20 errors', '100,000 rows', '100 items', '5 seconds'],
  'functions/chat/tool-definitions.ts': ['30 days'],
  'functions/api/get-reconciliation.ts': ['30 days'],
  'functions/api/list-changes.ts': ['400 days'],
  'functions/api/list-reconciliations.ts': ['30 days'],
  'functions/openapi/document.ts': ['400 adds'],
  'functions/openapi/guides/changes.md': ['400 days'],
  'functions/openapi/guides/console.md': ['90 days'],
  'functions/openapi/guides/errors.md': ['400 has'],
  'functions/openapi/guides/knowledge.md': ['30 euros'],
  'functions/openapi/guides/limits.md': ['1,000', '1,000 together', '30 messages'],
  'functions/openapi/guides/local-run.md': ['90 days'],
  'functions/openapi/guides/mcp.md': ['20 items', '90 days'],
  'functions/openapi/guides/personal-data.md': ['30 days'],
  'functions/openapi/guides/voice-platforms.md': ['15 seconds', '1,000 calls'],
  'functions/openapi/guides/webhooks.md': ['24 hours', '5 seconds'],
  'functions/pages/console/components/period.ts': ['30 days', '90 days'],
};

/** True if a number that is followed by this word is a limit. A number with a comma may be any count, whatever follows. */
const isLimit = (number: string, word: string) => {
  const [, ofKind = /s$/.test(word) || number.includes(',') ? counts : /^$/] =
    kinds.find(([words]) => words.test(word)) ?? [];
  return names.some(
    (name) => ofKind.test(name) && limits[name] > 4 && [number, `${number} ${word}`].includes(formatLimit(name)),
  );
};

const typedNumber =
  /(?<![\w.,:/#$§–-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\d,.]*\d)(?:[ \u00a0\n]([a-z]+))?(?:[ \u00a0\n]([a-z]+))?/gi;

/** Returns the numbers of a text that are limits, with the words that follow them. */
const findTyped = (text: string, file: string) =>
  [...text.matchAll(typedNumber)].flatMap(([, number = '', word = '', next = '']) => {
    const found = [word, `${word} ${next}`].find((words) => isLimit(number, words.split(' ').at(-1) ?? ''));
    const typed = `${number} ${found}`.trim();
    return found !== undefined && !exceptions[file]?.includes(typed) ? [`${file}: ${typed}`] : [];
  });

/** Returns the texts of a program: its literals, and the text of its elements. Comments are not for users. */
const readTexts = (file: string, source: string): string[] => {
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    if (
      ts.isLiteralExpression(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    )
      texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return texts;
};

const pages = [
  ...globSync('functions/openapi/guides/*.md'),
  ...globSync('{bin,functions/openapi/client}/**/README.md'),
];
const programs = globSync('{bin,functions}/**/*.{ts,tsx}', { exclude: ['functions/openapi/client/{types,groups}.ts'] });

it('no page types the number of a limit', () => {
  expect(pages.flatMap((file) => findTyped(readFileSync(file, 'utf8'), file))).toEqual([]);
});

it('no text of a program types the number of a limit', () => {
  const texts = (file: string, source: string) => (findTyped(source, file).length > 0 ? readTexts(file, source) : []);
  const typed = programs.flatMap((file) =>
    texts(file, readFileSync(file, 'utf8')).flatMap((text) => findTyped(text, file)),
  );
  expect(typed).toEqual([]);
});

it('a page that names a limit has its number, and one that names no limit is an error', () => {
  expect(fillInLimits('{{limits.numbersPerRequest}} numbers, {{limits.metadataBytes}}, {{limits.linkSeconds}}')).toBe(
    '10,000 numbers, 50 KB, 15 minutes',
  );
  expect(() => fillInLimits('{{limits.metadataByte}}')).toThrow('There is no such limit');
});
