import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { formatLimit } from '../../functions/domain/format-limit.ts';
import { limits } from '../../functions/domain/limits.ts';
import { fillInLimits } from '../../functions/openapi/guides.ts';

/** The words after a number that tell what it counts, and the limits that it can be. Other words may be of any limit. */
const kinds: [words: RegExp, names: RegExp][] = [
  [/^(?:KB|MB)$/, /Bytes$/],
  [/^characters?$/, /(?:Characters|Units)$/],
  [/^(?:seconds|minutes|hours)$/, /Seconds$/],
  [/^days?$/, /Days$/],
];
const counts = /^(?!Bytes|Characters|Units|Seconds|Days).*(?<!Bytes|Characters|Units|Seconds|Days)$/;
const names = Object.keys(limits) as (keyof typeof limits)[];

/** Numbers that equal a limit, and are something else. */
const exceptions: Record<string, string[]> = {
  'bin/agents/folder.ts': ['500 KB'],
  'bin/outcomes/README.md': ['256 KB'],
  'functions/chat/tool-definitions.ts': ['30 days'],
  'functions/domain/call-figures.ts': ['10,000,000 credits'],
  'functions/domain/reconciliations.ts': ['100 differences'],
  'functions/api/get-reconciliation.ts': ['30 days'],
  'functions/api/list-reconciliations.ts': ['30 days'],
  'functions/openapi/document.ts': ['400 adds'],
  'functions/openapi/guides/call-figures.md': ['10,000,000 credits'],
  'functions/openapi/guides/changes.md': ['400 days'],
  'functions/openapi/guides/console.md': ['90 days'],
  'functions/openapi/guides/errors.md': ['400 has'],
  'functions/openapi/guides/knowledge.md': ['30 euros'],
  'functions/openapi/guides/mcp.md': ['20 items'],
  'functions/openapi/guides/personal-data.md': ['30 days'],
  'functions/openapi/guides/voice-platforms.md': ['15 seconds'],
  'functions/openapi/guides/webhooks.md': ['24 hours', '5 seconds'],
  'functions/pages/console/components/period.ts': ['30 days', '90 days'],
};

/** Returns the numbers of a text that are limits, with the words that follow them. */
const findTyped = (text: string, file: string) =>
  [...text.matchAll(/(?<![\w.,:/#$§–-])(\d[\d,]*(?:\.\d+)?)[ \u00a0\n](?:[a-z]+ )?([A-Za-z]+)\b/g)].flatMap(
    ([found, number = '', word = '']) => {
      const [, ofKind = /s$/.test(word) ? counts : /^$/] = kinds.find(([words]) => words.test(word)) ?? [];
      const isTyped = names.some(
        (name) => ofKind.test(name) && limits[name] > 4 && [number, `${number} ${word}`].includes(formatLimit(name)),
      );
      return isTyped && !exceptions[file]?.includes(found) ? [`${file}: ${found}`] : [];
    },
  );

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
