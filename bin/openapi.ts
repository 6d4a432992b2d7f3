/** `npm run openapi`: generates the OpenAPI document and the files derived from it. */
import { relative } from 'node:path';
import { Command } from 'commander';
import { openApiDocument } from '../functions/openapi/document.ts';
import { routes } from '../functions/routes.ts';
import { writeClientTypes } from './client/types.ts';
import { writeGeneratedFiles } from './openapi/generated-files.ts';

const options = new Command('npm run openapi --')
  .description(
    'Generates the OpenAPI document, the types of the client, the tools of AI clients and the topics of the chat in functions/openapi/. It also writes the table of operations in the guides.',
  )
  .option('--print', 'print the document and write nothing')
  .parse()
  .opts<{ print?: true }>();

const document = openApiDocument(routes);

if (options.print) {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
} else {
  for (const file of writeGeneratedFiles(document)) console.log(`${relative('', file)} written.`);
  await writeClientTypes();
}
