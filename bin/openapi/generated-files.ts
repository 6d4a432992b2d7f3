import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGuides } from '../../functions/openapi/guides.ts';
import type { OpenApiDocument } from '../../functions/openapi/openapi.ts';
import { buildOperations, buildOperationTools } from '../../functions/openapi/operations.ts';
import { splitTopics } from '../../functions/openapi/topics.ts';
import { routes } from '../../functions/routes.ts';
import { operationTable } from '../client/operations.ts';

const root = join(import.meta.dirname, '../..');
const operationsGuide = join(root, 'functions/openapi/guides/operations.md');

/** Returns the texts of the OpenAPI document and of the committed files generated from it, by absolute path. */
export const generatedFiles = (document: OpenApiDocument): Record<string, string> => {
  const openApi = join(root, 'functions/openapi');
  return {
    [join(openApi, 'document.json')]: json(document),
    [join(openApi, 'operations.json')]: json(buildOperations(document, routes)),
    [join(openApi, 'tools.json')]: json(buildOperationTools(document, routes)),
    [join(openApi, 'client/operations.ts')]: operationTable(document),
    [join(openApi, 'topics.json')]: json(splitTopics(document, readGuides())),
    [operationsGuide]: renewTable(readFileSync(operationsGuide, 'utf8'), document),
  };
};

/** Writes the files that have changed, and returns their paths. */
export const writeGeneratedFiles = (document: OpenApiDocument): string[] => {
  const changed = Object.entries(generatedFiles(document)).filter(
    ([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
  );
  for (const [file, text] of changed) writeFileSync(file, text);
  return changed.map(([file]) => file);
};

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the guide with its table of operations between two marks. */
const renewTable = (guide: string, document: OpenApiDocument) => {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary, security }]) => {
      const schemes = (security as object[]).map((one) => Object.keys(one)[0] ?? 'nobody');
      return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${callers[schemes.join()]} |`;
    }),
  );
  const table = ['| Operation | What it does | Who may call |', '|---|---|---|', ...rows].join('\n');
  return guide.replace(
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
