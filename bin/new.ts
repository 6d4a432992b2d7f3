/** `npm run new -- endpoint get-agent-mood`: writes an operation that works, with its test and its sample, and lists it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { capitalize } from './client/operation-names.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const toName = (name: string) => {
  if (/^get-agent(-[a-z]+)+$/.test(name)) return name;
  throw new InvalidArgumentError(
    'It must begin with get-agent-, such as get-agent-mood. Change the method afterwards.',
  );
};

/** Writes a template under a name. */
const writeTemplate = (template: string, file: string, words: string[]) => {
  const camelCase = ['get', 'agent', ...words].map((word, index) => (index ? capitalize(word) : word)).join('');
  const text = read(template)
    .replaceAll('NAME', camelCase)
    .replaceAll('OBJECT', words.join('-'))
    .replaceAll('WORDS', words.join(' '));
  writeFileSync(join(root, file), text);
  return camelCase;
};

/** Inserts a text behind a line of a file. */
const insert = (file: string, behind: string, text: string) => {
  const content = read(file);
  if (!content.includes(behind)) throw new Error(`${file} has no line ${JSON.stringify(behind.trim())}.`);
  writeFileSync(join(root, file), content.replace(behind, `${behind}${text}`));
};

const runNode = (...args: string[]) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(1);
};

const program = new Command('npm run new --').description('Writes the beginning of new code.');
program
  .command('endpoint')
  .description('Write an operation on an agent, with its test and its sample, and list it')
  .argument('<name>', 'its file, as get-agent-mood for GET /agents/{agentId}/mood', toName)
  .action((name) => {
    const files = { endpoint: `functions/api/${name}.ts`, test: `test/api/${name}.test.ts` };
    if (existsSync(join(root, files.endpoint))) program.error(`error: ${files.endpoint} exists.`);
    const words = name.split('-').slice(2);
    const operation = writeTemplate('bin/new/endpoint.ts.txt', files.endpoint, words);
    writeTemplate('bin/new/test.ts.txt', files.test, words);
    insert(
      'functions/routes.ts',
      "import { getAgent } from './api/get-agent.ts';\n",
      `import { ${operation} } from './api/${name}.ts';\n`,
    );
    insert('functions/routes.ts', '\n  getAgent,\n', `  ${operation},\n`);
    insert('test/support/samples.ts', '\n  getAgent: {},\n', `  ${operation}: {},\n`);
    runNode(
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--write',
      'functions/routes.ts',
      files.endpoint,
      files.test,
    );
    runNode('bin/openapi.ts');
    process.stdout.write(`Written: ${files.endpoint}, ${files.test}, a line in functions/routes.ts and in test/support/samples.ts, and the generated files.
Run its test: npm test -- ${files.test}
After a change of the contract: npm run openapi
`);
  });
program.parse();
