import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { expect, it } from 'vitest';
import { pythonPrograms } from '../../../bin/client/python-environment.ts';
import { newWorld, target } from '../../support/world.ts';

const run = promisify(execFile);
const document = 'functions/openapi/document.json';

const pythonProgram = `
import os
import made
from made import AddBlockedNumbersRequest, AgentsApi, BlockListApi, CallsApi, CreateAgentRequest

client = made.ApiClient(made.Configuration(host=os.environ["VAP_BASE_URL"], api_key={"apiKey": os.environ["VAP_API_KEY"]}))
uid = os.environ["VAP_USER"]
agent = AgentsApi(client).create_agent(CreateAgentRequest(uid=uid, name="Night desk"))
numbers = AddBlockedNumbersRequest(uid=uid, agent_id=agent.agent_id, numbers=["+14155550100", "12345"])
blocked = BlockListApi(client).add_blocked_numbers(numbers)
call = CallsApi(client).get_call(os.environ["VAP_AGENT"], "call-1")
print(agent.name, blocked.added, blocked.failed[0].code, call.call_id)
`;

const fetchProgram = `
import { AgentsApi, BlockListApi, CallsApi, Configuration } from './made/index';

const { VAP_BASE_URL: basePath, VAP_API_KEY: apiKey, VAP_USER: uid = '', VAP_AGENT: agentId = '' } = process.env;
const configuration = new Configuration({ basePath, apiKey });
const agent = await new AgentsApi(configuration).createAgent({ createAgentRequest: { uid, name: 'Night desk' } });
const numbers = { uid, agentId: agent.agentId, numbers: ['+14155550100', '12345'] };
const blocked = await new BlockListApi(configuration).addBlockedNumbers({ addBlockedNumbersRequest: numbers });
const call = await new CallsApi(configuration).getCall({ agentId, callIdOrPhone: 'call-1' });
console.log(agent.name, blocked.added, blocked.failed[0]?.code, call.callId);
`;

const heyApiProgram = `
import { client } from './made/client.gen';
import { addBlockedNumbers, createAgent, getCall } from './made/sdk.gen';

const { VAP_BASE_URL: baseUrl, VAP_API_KEY: auth, VAP_USER: uid = '', VAP_AGENT: agentId = '' } = process.env;
client.setConfig({ baseUrl, auth, throwOnError: true });
const options = { throwOnError: true } as const;
const { data: agent } = await createAgent({ body: { uid, name: 'Night desk' }, ...options });
const numbers = { uid, agentId: agent.agentId, numbers: ['+14155550100', '12345'] };
const { data: blocked } = await addBlockedNumbers({ body: numbers, ...options });
const { data: call } = await getCall({ path: { agentId, callIdOrPhone: 'call-1' }, ...options });
console.log(agent.name, blocked.added, blocked.failed[0]?.code, call.callId);
`;

/** A folder for a client, and the settings of a program of its user, who has an agent with a call. */
const newUser = async () => {
  const { uid, agentId, apiKey, recordCall } = await newWorld();
  await recordCall('call-1');
  const settings = { VAP_BASE_URL: target.baseUrl, VAP_API_KEY: apiKey, VAP_USER: uid, VAP_AGENT: agentId };
  return { folder: mkdtempSync(join(tmpdir(), 'generated-client-')), env: { ...process.env, ...settings } };
};

const generate = async (generator: string, folder: string, properties: string) => {
  const programs = pythonPrograms('test/acceptance/openapi/generator-requirements.txt');
  const args = ['generate', '-i', document, '-g', generator, '-o', folder, '--additional-properties', properties];
  await run(join(programs, 'openapi-generator-cli'), args, { maxBuffer: 2 ** 26 });
  return programs;
};

/** Compiles a program and the client that it imports, and runs it. */
const runTypeScript = async (folder: string, source: string, env: NodeJS.ProcessEnv) => {
  const program = join(folder, 'program.ts');
  writeFileSync(program, source);
  const options = ['--target', 'es2024', '--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
  const types = [
    '--ignoreConfig',
    '--typeRoots',
    resolve('node_modules/@types'),
    '--types',
    'node',
    '--strict',
    '--skipLibCheck',
  ];
  await run(process.execPath, [resolve('node_modules/@typescript/native/bin/tsc'), ...options, ...types, program]);
  const bundled = join(folder, 'program.mjs');
  const flags = ['--bundle', '--platform=node', '--format=esm', `--outfile=${bundled}`, '--log-level=error'];
  await run(resolve('node_modules/.bin/esbuild'), [program, ...flags]);
  return (await run(process.execPath, [bundled], { env })).stdout.trim();
};

const printed = "Night desk [ '+14155550100' ] invalid_format call-1";

it('a Python client by openapi-generator is imported, makes an agent, blocks a number and reads a call (not covered here: Go, Java, orval, openapi-typescript, oapi-codegen)', async () => {
  const { folder, env } = await newUser();
  const programs = await generate('python', folder, 'packageName=made');
  writeFileSync(join(folder, 'program.py'), pythonProgram);
  const { stdout } = await run(join(programs, 'python'), [join(folder, 'program.py')], { env });
  expect(stdout).toBe("Night desk ['+14155550100'] invalid_format call-1\n");
});

it('a TypeScript client by openapi-generator compiles, makes an agent, blocks a number and reads a call', async () => {
  const { folder, env } = await newUser();
  await generate('typescript-fetch', join(folder, 'made'), 'supportsES6=true');
  expect(await runTypeScript(folder, fetchProgram, env)).toBe(printed);
});

it('a TypeScript client by hey-api compiles, makes an agent, blocks a number and reads a call', async () => {
  const { folder, env } = await newUser();
  await createClient({ input: document, output: join(folder, 'made'), logs: { level: 'silent' } });
  expect(await runTypeScript(folder, heyApiProgram, env)).toBe(printed);
});
