/** `npm run openapi`: generates the OpenAPI document and what follows from it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { openApiDocument } from '../functions/openapi/document.ts';
import { readGuides } from '../functions/openapi/guides.ts';
import type { OpenApiDocument } from '../functions/openapi/openapi.ts';
import { operationsOf, toolsOf } from '../functions/openapi/operations.ts';
import { topicsOf } from '../functions/openapi/topics.ts';
import { routes } from '../functions/routes.ts';
import { writeClientTypes } from './client/types.ts';

const root = join(import.meta.dirname, '..');

const options = new Command('npm run openapi --')
  .description(
    'Generates the OpenAPI document, the types of the client, the tools of AI clients and the topics that the chat searches in functions/openapi/, and the table of operations in the README.',
  )
  .option('--print', 'print the document and write nothing')
  .option('--check', 'write nothing; exit 1 when a committed file is out of date')
  .parse()
  .opts<{ print?: true; check?: true }>();

/** The README with its table of operations, between two marks. */
const readmeWith = (readme: string, document: OpenApiDocument) => {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary, security }]) => {
      const schemes = (security as object[]).map((one) => Object.keys(one)[0] ?? 'nobody');
      return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${callers[schemes.join()]} |`;
    }),
  );
  const table = ['| Operation | What it does | Who may call |', '|---|---|---|', ...rows].join('\n');
  return readme.replace(
    /<!-- operations -->(?:[\s\S]*<!-- end of operations -->)?/,
    () => `<!-- operations -->\n\n${table}\n\n<!-- end of operations -->`,
  );
};

const callers: Record<string, string> = {
  apiKey: 'API key',
  applicationOrigin: 'the platform’s web application',
  'nobody,apiKey': 'anyone; more with an API key',
  '': 'anyone',
};

const document = openApiDocument(routes);
const documentText = `${JSON.stringify(document, null, 2)}\n`;

if (options.print) {
  process.stdout.write(documentText);
} else {
  const files = {
    'functions/openapi/document.json': documentText,
    'functions/openapi/operations.json': `${JSON.stringify(operationsOf(document, routes), null, 2)}\n`,
    'functions/openapi/tools.json': `${JSON.stringify(toolsOf(document, routes), null, 2)}\n`,
    'functions/openapi/topics.json': `${JSON.stringify(topicsOf(document, readGuides()), null, 2)}\n`,
    'README.md': readmeWith(readFileSync(join(root, 'README.md'), 'utf8'), document),
  };
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    if (options.check) {
      console.error(`${file} is out of date: run \`npm run openapi\` and commit the changes.`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
      console.log(`${file} written.`);
    }
  }
  if (!options.check) await writeClientTypes();
}
