import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readGuides } from '../../functions/openapi/guides.ts';

const documents = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'functions/README.md',
    'functions/decisions/README.md',
  ],
  ...readGuides().map(({ file }) => file),
];
const decisions = readdirSync('functions/decisions').filter((file) => file !== 'README.md');

it.each(documents)('%s names and links only files that exist', (document) => {
  const text = readFileSync(document, 'utf8');
  const named = [...text.matchAll(/`((?:bin|functions|lib|test)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  const linked = [...text.matchAll(/\]\((?![a-z]+:|\/|#)([^)#]+)/g)].map(([, path = '']) => join(document, '..', path));
  expect([...named, ...linked].filter((path) => !existsSync(path))).toEqual([]);
});

it('functions/README.md describes every file and folder next to it', () => {
  const [, layout = ''] = /```\n(.*?)```/s.exec(readFileSync('functions/README.md', 'utf8')) ?? [];
  const described = [...layout.matchAll(/^\S+/gm)].map(([name]) => name);
  const present = readdirSync('functions', { withFileTypes: true })
    .filter(({ name }) => name !== 'README.md')
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(described.sort()).toEqual(present.sort());
});

it.each(decisions)('the decision %s is dated, short, and linked by functions/decisions/README.md', (file) => {
  const text = readFileSync(join('functions/decisions', file), 'utf8');
  expect(text).toMatch(/^# .+\n\n\d{4}-\d\d-\d\d\n\n## Context\n.+\n## Decision\n.+\n## Cost\n/s);
  expect(text.split('\n').length).toBeLessThanOrEqual(31);
  expect(readFileSync('functions/decisions/README.md', 'utf8')).toContain(`](${file})`);
});

it('README.md has the costs of lib/README.md', () => {
  const [, idle, busy] =
    /\| \*\*about\*\* \| \*\*(\$\d+)\*\* \| \*\*(\$\d+)\*\* \|/.exec(readFileSync('lib/README.md', 'utf8')) ?? [];
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toContain(`| A deployment without requests | [about ${idle} a month](lib/README.md#what-it-costs)`);
  expect(readme).toContain(`| 10 million requests a month | [about ${busy}](lib/README.md#what-it-costs)`);
});

it('README.md links every guide', () => {
  const text = readFileSync('README.md', 'utf8');
  expect(
    readGuides()
      .map(({ file }) => file)
      .filter((file) => !text.includes(`](${file})`)),
  ).toEqual([]);
});

it('README.md says what an agent is in the words of the guide', () => {
  const [, sentence = '', paragraph = ''] = readFileSync('functions/openapi/guides/what-an-agent-is.md', 'utf8').split(
    '\n\n',
  );
  const words = (text: string) => text.replace(/[*\s]+/g, ' ');
  expect(words(readFileSync('README.md', 'utf8'))).toContain(words(`**${sentence}** ${paragraph}`));
});

it('package.json has the version of the newest release of the changelog', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(/^## (\d.+)$/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1]).toBe(version);
});
