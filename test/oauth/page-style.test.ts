import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { style } from '../../functions/oauth/page-style.ts';

it('the page has the colors of the console', () => {
  const tokens = readFileSync(join(import.meta.dirname, '../../functions/pages/tokens.css'), 'utf8').replaceAll(
    ' ',
    '',
  );
  const colors = [...style.matchAll(/--[\w-]+:light-dark\([^)]+\)/g)].map(([color]) => color);
  expect(colors.length).toBeGreaterThan(8);
  for (const color of colors) expect(tokens).toContain(color);
});
