import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { writeClientTypes } from '../../../bin/client/types.ts';
import { type Guide, readGuides } from '../../../functions/openapi/guides.ts';
import { settings } from '../../support/operator-command.ts';
import { newWorld, target, unique } from '../../support/world.ts';
import { packageFile } from '../packages.ts';

const run = promisify(execFile);
const root = resolve('.');
const guides = readGuides().filter(({ file }) => file.startsWith('functions/openapi/'));

/** The examples of a guide in one language, each with the JSON that is shown after it. */
const listExamples = ({ source }: Guide, language: string) =>
  [...source.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`\\n(?:\\s*\`\`\`json\\n(.*?)^\`\`\`)?`, 'gms'))].map(
    ([, code = '', json]) => ({ code, ...(json && { json }) }),
  );

const withExamples = (language: string) =>
  guides
    .map((guide) => ({ title: guide.title, examples: listExamples(guide, language) }))
    .filter(({ examples }) => examples.length > 0);

/** The shell of a reader after the quickstart: variables, and calls of the demo agent. */
const startReader = async () => {
  const { uid, agentId, apiKey, recordCall } = await newWorld();
  await recordCall('demo-call-1');
  await recordCall('demo-call-2', { startedAt: '2026-03-02T10:00:00Z' });
  return {
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    VAP_BASE_URL: target.baseUrl,
    VAP_API_KEY: apiKey,
    VAP_USER: uid,
    VAP_AGENT: agentId,
  };
};

/** A request that fails ends an example, and \`npm run\` runs the command without npm. */
const prelude = `
set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
npm() { shift; [ "$1" = -s ] && shift; script=$1; shift; [ "$1" = -- ] && shift; [ "$script" = operator ] || set -- "$script" "$@"; node "${root}/bin/voice-agents.ts" "$@"; }
`;

/** The commands of all guides are run by one reader, in the order of the documentation. */
let shared: ReturnType<typeof startReader> | undefined;

it.each(withExamples('sh'))(
  'the commands of the guide $title run, and print what is shown',
  async ({ title, examples }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'guide-'));
    shared ??= startReader();
    const { VAP_API_KEY, ...reader } = await shared;
    // The operator works on the table, without a key of a user.
    const env = { ...reader, ...(title !== 'Operator' && { VAP_API_KEY }), ...settings, INIT_CWD: cwd };
    const user = unique('acme');
    for (const { code, json } of examples) {
      const script = prelude + code.replaceAll('acme', user);
      const { stdout } = await run('bash', ['-c', script], { cwd, env }).catch((error) => {
        throw new Error(`${title}:\n${code}\n${error.stdout}${error.stderr}`);
      });
      if (json) expect(JSON.parse(stdout)).toEqual(JSON.parse(json));
    }
  },
);

it('the examples of the guides compile, and their programs run', async () => {
  await writeClientTypes();
  const folder = mkdtempSync(join(tmpdir(), 'guides-'));
  const client = join(folder, 'client');
  mkdirSync(client);
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  writeFileSync(join(client, 'package.json'), '{"type":"module","exports":"./client.ts"}');
  writeFileSync(join(client, 'client.ts'), `export * from '${root}/functions/openapi/client/client.ts';\n`);
  symlinkSync(client, join(folder, 'node_modules/voice-agent-platform-client'));
  for (const name of [
    '@types/node',
    '@types/react',
    'undici-types',
    'csstype',
    'react',
    'ai',
    '@ai-sdk',
    'standardwebhooks',
  ]) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const name of ['react-markdown', 'remark-gfm']) {
    symlinkSync(packageFile(name, ''), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const programs = guides.flatMap((guide) =>
    ['ts', 'tsx'].flatMap((language) =>
      listExamples(guide, language).map(({ code }, index) => {
        const name = `${guide.slug}-${index}.${language}`;
        writeFileSync(join(folder, name), code);
        return name;
      }),
    ),
  );
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const options = '--noEmit --strict --module nodenext --target es2024 --jsx react-jsx --allowImportingTsExtensions';
  const flags = [...options.split(' '), '--lib', 'es2024,dom,dom.iterable', '--types', 'node', '--skipLibCheck'];
  await run(process.execPath, [compiler, ...flags, ...programs], { cwd: folder }).catch((error) => {
    throw new Error(error.stdout);
  });
  const env = await startReader();
  for (const name of programs.filter((name) => name.endsWith('.ts'))) {
    await run(process.execPath, [name], { cwd: folder, env }).catch((error) => {
      throw new Error(`${name}:\n${error.stdout}${error.stderr}`);
    });
  }
  expect(programs.length).toBeGreaterThanOrEqual(8);
});
