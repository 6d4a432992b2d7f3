import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGeneratedFiles } from '../../bin/openapi/generated-files.ts';
import { openApiDocument } from '../../functions/openapi/document.ts';
import { routes } from '../../functions/routes.ts';

const readme = join(import.meta.dirname, '../../lib/README.md');

/** Replaces the text of a benchmark in the operator's guide, between its markers. */
export const writeInReadme = (name: string, lines: string[]): void => {
  const guide = readFileSync(readme, 'utf8');
  const [start, end] = [`<!-- ${name}: made by npm run bench -- ${name} -->`, `<!-- ${name}: end -->`];
  const [from, to] = [guide.indexOf(start), guide.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`lib/README.md has no markers for ${name}.`);
  writeFileSync(readme, [guide.slice(0, from) + start, '', ...lines, '', guide.slice(to)].join('\n'));
  // The chat's documentation includes the guide.
  writeGeneratedFiles(openApiDocument(routes));
};
