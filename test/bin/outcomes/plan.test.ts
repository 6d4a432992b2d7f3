import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { plan, writeTestFile } from '../../support/outcomes-tool.ts';
import { newWorld, target } from '../../support/world.ts';

const { baseUrl } = target;

const worldWithHours = async () => {
  const world = await newWorld();
  const calling = { hours: { from: '08:00', to: '21:00' } };
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { calling } } });
  return world;
};

it('outcomes plan splits a file into the rows to call now and those for later, each with its cause and time', async () => {
  const { agentId, apiKey } = await worldWithHours();
  const rows = 'name;phone\n"Müller; Anna";+1 212 555 0123\nBaker;+442071838750\nCarter;0151 23\n';
  const file = writeTestFile('customers.csv', `\ufeff${rows}`);
  const flags = ['--agent-id', agentId, '--column', 'phone', '--at', '2026-01-15T23:00:00Z'];
  expect(await plan(file, { baseUrl, apiKey, flags })).toMatchObject({ code: 0, stderr: '' });
  const base = file.replace('.csv', '');
  expect(readFileSync(`${base}.now.csv`, 'utf8')).toBe('name;phone\n"Müller; Anna";+1 212 555 0123\n');
  expect(readFileSync(`${base}.later.csv`, 'utf8')).toBe(
    'name;phone;cause;retryAt\nBaker;+442071838750;outside_hours;2026-01-16T08:00:00.000Z\nCarter;0151 23;invalid_format;\n',
  );
});

it('outcomes plan names the columns of a file that lacks the column with the number', async () => {
  const { agentId, apiKey } = await worldWithHours();
  const file = writeTestFile('customers.csv', 'name,phone\nBaker,+442071838750\n');
  const { code, stderr } = await plan(file, { baseUrl, apiKey, flags: ['--agent-id', agentId] });
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no column number. Its columns are name, phone.')]);
});

it('outcomes plan writes the bytes of a file in another encoding as they are, and names a heading that it lacks', async () => {
  const { agentId, apiKey } = await worldWithHours();
  const file = writeTestFile('customers.csv', Buffer.from('Größe;phone\nMüller;+12125550123\n', 'latin1'));
  const flags = ['--agent-id', agentId, '--at', '2026-01-15T18:00:00Z', '--column'];
  expect(await plan(file, { baseUrl, apiKey, flags: [...flags, 'phone'] })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file.replace('.csv', '.now.csv'), 'latin1')).toBe('Größe;phone\nMüller;+12125550123\n');
  const { code, stderr } = await plan(file, { baseUrl, apiKey, flags: [...flags, 'Größe'] });
  const message = 'has no column Größe. Its columns are Gr��e, phone. They are not in UTF-8: save the file in UTF-8';
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('outcomes plan reads numbers and sheets as outcomes push does', async () => {
  const { agentId, apiKey, block } = await worldWithHours();
  await block(['+12125550123', '+12125550124']);
  const rows = ['A;+1 (212) 555-0123', 'B;212 555 0124', 'C;+12125550123.0', ';', 'D;="+12125550125"', 'E;12125550124'];
  const file = writeTestFile('customers.csv', `sep=;\r\nname;phone\r\n${rows.join('\r\n')}\r\n`);
  const flags = ['--agent-id', agentId, '--column', 'phone', '--country', 'US', '--at', '2026-01-15T18:00:00Z'];
  expect(await plan(file, { baseUrl, apiKey, flags })).toMatchObject({ code: 0, stderr: '' });
  const base = file.replace('.csv', '');
  expect(readFileSync(`${base}.now.csv`, 'utf8')).toBe('name;phone\nD;+12125550125\n');
  const later = readFileSync(`${base}.later.csv`, 'utf8')
    .split('\n')
    .map((row) => row.split(';'));
  expect(later.slice(1, -1).map(([name, , cause]) => [name, cause])).toEqual([
    ['A', 'blocked'],
    ['B', 'blocked'],
    ['C', 'invalid_format'],
    ['E', 'blocked'],
  ]);
});
