import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../functions/openapi/openapi.ts';
import { newWorld, target, type World } from '../../support/world.ts';
import { packageFile } from '../packages.ts';

type Item = { json: Record<string, unknown>; binary?: { data: { data: string } } };
// biome-ignore lint/suspicious/noExplicitAny: the parameters of a node are those of its type
type Node = { name: string; type: string; parameters: any };
type Connections = Record<string, { main: { node: string }[][] }>;
type Condition = { leftValue: string; operator: { operation: string }; rightValue: string };
type File = { name: string; nodes: Node[]; connections: Connections };

// n8n's license allows internal use and is not permissive. It is therefore no dependency: only the acceptance tests install it.
const { Workflow } = createRequire(packageFile('n8n-workflow', 'package.json'))('n8n-workflow');

const folder = join(import.meta.dirname, '../../../functions/openapi/workflows');
const files = readdirSync(folder);
const placeholder = 'https://api.example.com';

/** Reads a workflow as a user imports it, with the texts that the user replaces. */
const read = (file: string, replaced: Record<string, string> = {}): File => {
  const text = readFileSync(join(folder, file), 'utf8');
  return JSON.parse(Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text));
};

/** The types of nodes that the workflows use. n8n's own are not installed. */
const makeType = (name: string) => ({
  description: {
    ...{ name, displayName: name, description: '', version: 1, group: [], defaults: {}, properties: [] },
    ...{ inputs: ['main'], outputs: ['main'] },
  },
});
const nodeTypes = { getByName: makeType, getByNameAndVersion: makeType, getKnownTypes: () => ({}) };
/** A workflow takes the parameters that its types do not know out of the nodes that it is given. */
const loaded = (file: File) => new Workflow({ ...structuredClone(file), id: file.name, active: false, nodeTypes });

const document: OpenApiDocument = JSON.parse(readFileSync('functions/openapi/document.json', 'utf8'));
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(document as object, 'openapi.json');
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Returns the path of the operation that a request calls. */
const findOperation = (method: string, url: string) => {
  const given = new URL(url).pathname.split('/');
  return Object.keys(document.paths).find((path) => {
    const parts = path.split('/');
    const fits = parts.every((part, index) => (part.startsWith('{') ? given[index] : part === given[index]));
    return parts.length === given.length && fits && method.toLowerCase() in (document.paths[path] ?? {});
  });
};

/** Checks a request against the OpenAPI document. */
const checkRequest = (method: string, url: string, body: string | undefined) => {
  const path = findOperation(method, url);
  expect([method, url, path]).toEqual([method, url, expect.any(String)]);
  if (body === undefined) return;
  const parts = ['paths', path as string, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
  const validate = ajv.getSchema(`openapi.json#/${parts.map(escaped).join('/')}`) as ValidateFunction;
  expect([url, validate(JSON.parse(body)), validate.errors]).toEqual([url, true, null]);
};

type Sheets = { rows?: Item['json'][]; written: Map<unknown, Item['json']> };

/** Runs a workflow from an item of its trigger, as n8n does. Ends at a node that waits, unless `waited` lets it go on. */
const run = async (
  file: File,
  trigger: Item,
  {
    apiKey,
    sheets,
    isInvalid,
    waited,
  }: {
    apiKey: string;
    sheets?: Sheets;
    /** The data make requests that the document does not allow. */
    isInvalid?: true;
    waited?: (until: string) => Promise<void>;
  },
) => {
  const workflow = loaded(file);
  const outputs: Record<string, Item[]> = {};
  const passed: string[] = [];
  /** Evaluates a parameter of a node for one of its items. */
  const evaluate = (node: Node, value: unknown, items: Item[], index: number) => {
    const runData = Object.fromEntries(
      Object.entries(outputs).map(([name, data]) => [
        name,
        [{ startTime: 0, executionTime: 0, executionIndex: 0, source: [], data: { main: [data] } }],
      ]),
    );
    const execution = { resultData: { runData } };
    return workflow.expression.getParameterValue(value, execution, 0, index, node.name, items, 'manual', {}, undefined);
  };
  const sheet = (node: Node, items: Item[]) => {
    const { operation, columns } = node.parameters;
    if (operation === 'read') return (sheets?.rows ?? []).map((json) => ({ json }));
    for (const { json } of items) sheets?.written.set(json[columns.matchingColumns[0]], json);
    return items;
  };
  const perform = async (node: Node, items: Item[]): Promise<Item[][]> => {
    const { parameters } = node;
    switch (node.type.replace('n8n-nodes-base.', '')) {
      case 'webhook':
      case 'scheduleTrigger':
      case 'noOp':
        return [items];
      case 'googleSheets':
        return [sheet(node, items)];
      case 'code': {
        const $input = { first: () => items[0], all: () => items };
        const $ = (name: string) => ({ first: () => outputs[name]?.[0], all: () => outputs[name] });
        const getBinaryDataBuffer = async (index: number) =>
          Buffer.from(items[index]?.binary?.data.data ?? '', 'base64');
        const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
        const code = new AsyncFunction('$input', '$', 'require', parameters.jsCode);
        return [await code.call({ helpers: { getBinaryDataBuffer } }, $input, $, createRequire(import.meta.url))];
      }
      case 'httpRequest': {
        const answers = items.map(async (_, index) => {
          const url = evaluate(node, parameters.url, items, index);
          const body = parameters.sendBody ? evaluate(node, parameters.jsonBody, items, index) : undefined;
          if (!isInvalid) checkRequest(parameters.method, url, body);
          const response = await fetch(url, {
            method: parameters.method,
            headers: { 'x-authorization': apiKey },
            body,
          });
          expect([url, response.status]).toEqual([url, 200]);
          return { json: (await response.json()) as Item['json'] };
        });
        return [await Promise.all(answers)];
      }
      case 'if': {
        const { conditions } = parameters.conditions;
        const holds = conditions.every(({ leftValue, operator, rightValue }: Condition) => {
          const left = evaluate(node, leftValue, items, 0);
          return operator.operation === 'equals' ? left === rightValue : Boolean(left);
        });
        return holds ? [items, []] : [[], items];
      }
      case 'wait':
        if (!waited) return [[]];
        await waited(evaluate(node, parameters.dateTime, items, 0));
        return [items];
      default:
        throw new Error(`No test knows how ${node.type} works.`);
    }
  };
  const follow = async (name: string, items: Item[]): Promise<void> => {
    passed.push(name);
    const node = file.nodes.find((one) => one.name === name) as Node;
    const results = await perform(node, items);
    outputs[name] = results.find((result) => result.length > 0) ?? [];
    for (const [index, result] of results.entries())
      for (const next of result.length > 0 ? (file.connections[name]?.main[index] ?? []) : [])
        await follow(next.node, result);
  };
  await follow(file.nodes[0]?.name as string, [trigger]);
  return { passed, outputs };
};

it.each(files)('the workflow %s is one that n8n loads, and each of its nodes is reached from its trigger', (name) => {
  const file = read(name);
  const workflow = loaded(file);
  const [first, ...others] = file.nodes.map((node) => node.name);
  expect(workflow.getChildNodes(first).sort()).toEqual(others.sort());
  expect(new Set(file.nodes.map((node) => node.name)).size).toBe(file.nodes.length);
  for (const { parameters, type } of file.nodes)
    if (type.endsWith('.httpRequest')) {
      const url = parameters.url.replace(/^=/, '').replaceAll(/\{\{[^}]+\}\}/g, 'x');
      expect([url, findOperation(parameters.method, url)]).toEqual([url, expect.any(String)]);
    }
});

const secret = `whsec_${randomBytes(24).toString('base64')}`;

/** An event as the service sends it, and as the webhook node passes it on. */
const delivered = (event: object, signedBy: string, sentAt = Math.floor(Date.now() / 1000)): Item => {
  const body = JSON.stringify(event);
  const id = 'event_1';
  const mac = createHmac('sha256', Buffer.from(signedBy.replace('whsec_', ''), 'base64'));
  const signature = `v1,${mac.update(`${id}.${sentAt}.${body}`).digest('base64')}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(sentAt), 'webhook-signature': `v1,old ${signature}` };
  return { json: { headers, body: event }, binary: { data: { data: Buffer.from(body).toString('base64') } } };
};

const makeOutcome = ({ uid, agentId }: World, call_id: string) => ({
  type: 'call.outcome_updated',
  timestamp: new Date().toISOString(),
  data: { uid, agent_id: agentId, call_id },
});

it('an outcome becomes one note of its call, however often its event arrives', async () => {
  const world = await newWorld();
  const file = read('outcome-to-note.json', { [placeholder]: target.baseUrl, whsec_REPLACE: secret });
  await world.recordCall('call-1', { phone: '+14155550100', details: { summary: 'Wants an appointment.' } });
  const sheets: Sheets = { written: new Map() };
  for (const outcome of ['interested', 'appointment_booked', 'appointment_booked']) {
    const body = { custom_call_outcome: outcome, custom_call_outcome_value: 120 };
    await world.call('PATCH', `/calls/${world.agentId}/call-1`, { body });
    await run(file, delivered(makeOutcome(world, 'call-1'), secret), { apiKey: world.apiKey, sheets });
  }
  expect([...sheets.written.values()]).toMatchObject([
    {
      ...{ call_id: 'call-1', phone: '+14155550100' },
      note: 'appointment_booked · value 120 · Wants an appointment.',
    },
  ]);
  const test = { type: 'webhook_endpoint.test', timestamp: new Date().toISOString(), data: {} };
  const { passed } = await run(file, delivered(test, secret), { apiKey: world.apiKey, sheets });
  expect(passed).toEqual(['Outcome', 'Check the signature']);
  const other = `whsec_${randomBytes(24).toString('base64')}`;
  const send = (item: Item) => run(file, item, { apiKey: world.apiKey, sheets });
  await expect(send(delivered(makeOutcome(world, 'call-1'), other))).rejects.toThrow('The signature is not valid.');
  const old = Math.floor(Date.now() / 1000) - 301;
  await expect(send(delivered(makeOutcome(world, 'call-1'), secret, old))).rejects.toThrow('the last five minutes');
  expect(sheets.written.size).toBe(1);
});

it('a sheet sets outcomes in batches, and gets the result of each row', async () => {
  const world = await newWorld();
  const { agentId: agent_id } = world;
  const file = read('sheet-to-outcomes.json', { [placeholder]: target.baseUrl });
  await world.recordCall('call-1', { phone: '+14155550100' });
  const row = (row_number: number, call: string, outcome: string, value: unknown = '') => ({
    ...{ row_number, agent_id, call, outcome, value },
  });
  const rows = [
    row(2, 'call-1', 'interested', '129.5'),
    row(3, 'no-such-call', 'interested'),
    row(4, 'call-1', ''),
    ...Array.from({ length: 1000 }, (_, index) => row(5 + index, '+14155550100', 'called back')),
  ];
  const sheets: Sheets = { rows, written: new Map() };
  const { outputs } = await run(file, { json: {} }, { apiKey: world.apiKey, sheets });
  expect(outputs['Build the batches']).toHaveLength(2);
  const getResult = (row_number: number) => sheets.written.get(row_number)?.result;
  expect([getResult(2), getResult(4), getResult(1004)]).toEqual(['done', undefined, 'done']);
  expect(getResult(3)).toBe('This agent has no such call.');
  // Sheets have true and false, and JavaScript has other numbers than they do.
  for (const value of ['1.299,00', true, '0x10']) {
    sheets.rows = [row(2, 'call-1', 'booked', value)];
    await run(file, { json: {} }, { apiKey: world.apiKey, sheets, isInvalid: true });
    expect([value, getResult(2)]).toEqual([value, expect.stringMatching(/custom_call_outcome_value/)]);
  }
  const call = (await world.call('GET', `/calls/${agent_id}/call-1`)).body;
  expect(call).toMatchObject({ custom_call_outcome: 'called back', custom_call_outcome_value: 129.5 });
});

it('a new lead is called when the rules allow it, asked for again at the time that the service names, and never when blocked', async () => {
  const world = await newWorld();
  const { uid, agentId, apiKey } = world;
  const file = read('lead-to-call.json', { [placeholder]: target.baseUrl, user_REPLACE: uid, agent_REPLACE: agentId });
  const configure = (calling: object | null) =>
    world.call('PATCH', `/agents/${agentId}`, { body: { configuration: { calling } } });
  const lead = (id: string, phone = '+12125550123') => ({ json: { body: { id, phone } } });
  await configure({ attempts: [{ max: 1, hours: 24 }], timeZone: 'America/New_York' });
  for (const _ of [1, 2]) expect((await run(file, lead('1'), { apiKey })).passed.at(-1)).toBe('Place the call');
  const waits: string[] = [];
  const { passed } = await run(file, lead('2'), {
    apiKey,
    async waited(until) {
      waits.push(until);
      await configure(null);
    },
  });
  expect(passed.filter((name) => name === 'Ask')).toHaveLength(2);
  expect(passed.slice(-1)).toEqual(['Place the call']);
  expect(waits.map((until) => Date.parse(until) > Date.now())).toEqual([true]);
  await world.block(['+12125550124']);
  expect((await run(file, lead('3', '+12125550124'), { apiKey })).passed.at(-1)).toBe('Do not call');
  await expect(run(file, { json: { body: { id: '4' } } }, { apiKey })).rejects.toThrow(
    'A lead needs an id and a phone.',
  );
  // The service takes these for withheld numbers, which no block list has.
  await expect(run(file, lead('5', '(212) 555-0124'), { apiKey })).rejects.toThrow('needs its + and country code');
  expect((await run(file, lead('6', '+12125550124 ext. 5'), { apiKey })).passed.at(-1)).toBe('Do not call');
});
