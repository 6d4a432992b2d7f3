import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import { warningCodes } from '../../functions/domain/sources.ts';
import { errorCodes } from '../../functions/openapi/error-responses.ts';
import { headingId, readGuides, withLinks } from '../../functions/openapi/guides.ts';

const guides = readGuides();

it('the guides are all of the files in their folder', () => {
  const files = readdirSync('functions/openapi/guides').map((name) => `functions/openapi/guides/${name}`);
  expect(guides.map(({ file }) => file)).toEqual(expect.arrayContaining(files));
});

it.each(guides)('the guide $title begins with its title and a paragraph, and links only to what exists', (guide) => {
  expect(guide.source).toMatch(/^# .+\n\n\S/);
  const anchors = new Map(
    guides.map((one) => [
      `/docs/${one.slug}`,
      [...one.source.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => headingId(heading)),
    ]),
  );
  expect(withLinks(guide, '')).not.toMatch(/`functions\/openapi\/guides/);
  for (const [, path = '', anchor] of withLinks(guide, '').matchAll(/\]\((\/docs[^)#]*)(?:#([^)]+))?\)/g)) {
    if (path === '/docs/reference' || /\.(svg|png|json)$/.test(path)) continue;
    expect(anchors.has(path), path).toBe(true);
    if (anchor) expect(anchors.get(path)).toContain(anchor);
  }
});

it('the guides name exactly the options and settings of the local run that its help names', () => {
  const listNames = (file: string) =>
    new Set(readFileSync(file, 'utf8').match(/\B--[a-z][a-z-]+|\b[A-Z]+(?:_[A-Z0-9]+)+\b/g));
  const help = listNames('bin/local/help.txt');
  for (const name of ['--help', '--version', 'AWS_PROFILE', 'AWS_REGION']) help.delete(name);
  const guide = listNames('functions/openapi/guides/local-run.md');
  for (const name of ['--help', 'AWS_PROFILE', 'AWS_REGION']) guide.delete(name);
  expect([...guide].sort()).toEqual([...help].sort());
});

it('the guides say what to do about each error code, and name no other', () => {
  const guide = readFileSync('functions/openapi/guides/errors.md', 'utf8');
  const named = [...guide.matchAll(/^\| `(\w+)` \| \d{3} \| .{20,} \|$/gm)].map(([, code]) => code);
  expect(named.sort()).toEqual([...errorCodes].sort());
});

it('the guide of knowledge has every code of a warning with its meaning', () => {
  const guide = readFileSync('functions/openapi/guides/knowledge.md', 'utf8');
  for (const [code, meaning] of Object.entries(warningCodes)) expect(guide).toContain(`| \`${code}\` | ${meaning} |`);
});

it('the guide of authentication has every scope with its operations', () => {
  const guide = readFileSync('functions/openapi/guides/authentication.md', 'utf8');
  const listed = [...guide.matchAll(/^\| `([a-z-]+)` \| .{10,} \|$/gm)].map(([, scope]) => scope);
  expect(listed).toEqual(Scope.options);
});
