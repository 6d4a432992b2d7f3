/** `npm run openapi`: describes the interface, and makes the client's types and what the chat searches of the description. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { openApiDocument } from '../functions/http/openapi.ts';
import { topicsOf } from '../functions/http/openapi-topics.ts';
import { routes } from '../functions/routes.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'functions', 'openapi');

const options = new Command('npm run openapi --')
  .description(
    'Writes the OpenAPI document of the route table, the types of the client, and the topics that the chat searches, to functions/openapi/.',
  )
  .option('--print', 'print the document instead of writing anything')
  .option('--check', 'write nothing; exit 1 when what is there is out of date')
  .parse()
  .opts<{ print?: true; check?: true }>();

const document = openApiDocument(routes);
const documentText = `${JSON.stringify(document, null, 2)}\n`;

if (options.print) {
  process.stdout.write(documentText);
} else {
  const types = await openapiTypescript(document as never, { alphabetize: false, defaultNonNullable: false });
  const files = {
    'document.json': documentText,
    'topics.json': `${JSON.stringify(topicsOf(document), null, 2)}\n`,
    'types.ts': `/** Made of document.json by \`npm run openapi\`: change the endpoints and run it again. */\n\n${astToString(types)}`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    const file = relative(root, path);
    if (options.check) {
      console.error(`${file} is out of date: run \`npm run openapi\` and commit what it writes.`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
      console.log(`${file} written.`);
    }
  }
}
