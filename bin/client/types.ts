import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const { factory } = ts;
const folder = join(import.meta.dirname, '../../functions/openapi');

/** Writes the types of the client, which are not kept in git, unless they are those of document.json already. */
export const writeClientTypes = async (): Promise<void> => {
  const document = readFileSync(join(folder, 'document.json'), 'utf8');
  const file = join(folder, 'types.ts');
  const heading = `/** Generated from document.json (${createHash('sha256').update(document).digest('hex')}). Not kept in git. */\n\n`;
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(heading)) return;
  const types = await openapiTypescript(withClientCodes(document), {
    alphabetize: false,
    defaultNonNullable: false,
    // A file of a form is a Blob here, and not a string of bytes.
    transform: ({ format }) => (format === 'binary' ? factory.createTypeReferenceNode('Blob') : undefined),
  });
  writeFileSync(file, heading + astToString(types));
};

/** The client reports what failed without a response by two codes of its own. */
const withClientCodes = (text: string) => {
  const document = JSON.parse(text);
  document.components.schemas.Error.properties.error.enum.push('unreachable', 'timeout');
  return document;
};
