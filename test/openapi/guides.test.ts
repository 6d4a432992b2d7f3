import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../functions/openapi/error-responses.ts';
import { headingId, readGuides, withLinks } from '../../functions/openapi/guides.ts';

const guides = readGuides();

describe('the guides', () => {
  it('are all of the files in their folder', () => {
    const files = readdirSync('functions/openapi/guides').map((name) => `functions/openapi/guides/${name}`);
    expect(guides.map(({ file }) => file)).toEqual(expect.arrayContaining(files));
  });

  it.each(guides)('$title: begins with its title and a paragraph, and links to what is there', (guide) => {
    expect(guide.source).toMatch(/^# .+\n\n\S/);
    const anchors = new Map(
      guides.map((one) => [
        `/docs/${one.slug}`,
        [...one.source.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => headingId(heading)),
      ]),
    );
    for (const [, path = '', anchor] of withLinks(guide, '').matchAll(/\]\((\/docs[^)#]*)(?:#([^)]+))?\)/g)) {
      if (path === '/docs/reference') continue;
      expect(anchors.has(path), path).toBe(true);
      if (anchor) expect(anchors.get(path)).toContain(anchor);
    }
  });

  it('say of each error code what to do about it, and name no other', () => {
    const guide = readFileSync('functions/openapi/guides/errors.md', 'utf8');
    const named = [...guide.matchAll(/^\| `(\w+)` \| \d{3} \| .{20,} \|$/gm)].map(([, code]) => code);
    expect(named.sort()).toEqual([...errorCodes].sort());
  });
});
