import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listCalls, makeLine } from '../../../support/call-lines.ts';
import { ended, json, newFile, operator, start } from '../../../support/operator-command.ts';
import { until } from '../../../support/until.ts';
import { newUser, newWorld, target } from '../../../support/world.ts';

it('keys are rotated once: one of two parallel rotations fails', async () => {
  const { uid, keyId } = await newUser();
  const both = await Promise.all([1, 2].map(() => ended(start(['key', 'rotate', '--uid', uid, keyId, '--json']))));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect((await json('key', 'list', '--uid', uid)).keys).toHaveLength(2);
});

it.each(['SIGKILL', 'SIGTERM'] as const)('calls import continues after %s', async (signal) => {
  const world = await newWorld();
  const ids = Array.from({ length: 5000 }, (_, n) => `call-${n}`);
  using door = await openDoor(new URL(target.baseUrl), { delayMilliseconds: 100 });
  const lines = ids.map((id, n) => (n === 10 ? 'not json' : makeLine(world.agentId, id)));
  const file = newFile(lines.join('\n'));
  const throughDoor = ['calls', 'import', file, '--base-url', door.endpoint];
  const first = start(throughDoor);
  const end = ended(first);
  const lineReached = (): number =>
    existsSync(`${file}.progress`) ? JSON.parse(readFileSync(`${file}.progress`, 'utf8')).state.line : 0;
  await until(() => lineReached() > 10);
  first.kill(signal);
  const stopped = await end;
  expect(stopped).toMatchObject(signal === 'SIGKILL' ? { signal } : { code: 3 });
  expect(stopped.stdout).toBe('');
  const reached = lineReached();
  expect(reached).toBeLessThan(5000);
  if (signal === 'SIGTERM') expect(stopped.stderr).toContain(`Stopped after line ${reached}`);

  const { code, stdout } = await operator(...throughDoor, '--json');
  // The line that failed before the end is still reported, and still counts.
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    file,
    lines: 5000,
    imported: 4999,
    failed: 1,
    errors: [{ line: 11, message: 'is not JSON in UTF-8' }],
    resumedAfterLine: reached,
  });
  expect((await listCalls(world)).map(({ callId }) => callId).sort()).toEqual(ids.filter((_, n) => n !== 10).sort());
  expect(existsSync(`${file}.progress`)).toBe(false);
});

it('calls import waits for a service that is briefly unreachable', async () => {
  const world = await newWorld();
  const file = newFile(Array.from({ length: 3000 }, (_, n) => makeLine(world.agentId, `call-${n}`)).join('\n'));
  using door = await openDoor(new URL(target.baseUrl));
  {
    const child = start(['calls', 'import', file, '--json', '--base-url', door.endpoint]);
    const end = ended(child);
    await until(async () => (await listCalls(world)).length > 0);
    door.shut();
    await sleep(1500);
    door.open();
    const { code, stdout } = await end;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ imported: 3000, failed: 0 });
    expect(await listCalls(world)).toHaveLength(3000);
  }
});

/** A proxy before the service, which delays responses and can be shut: then it cuts all connections. */
const openDoor = async (service: URL, { delayMilliseconds = 0 } = {}) => {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) return client.destroy();
    const upstream = connect(Number(service.port), service.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => setTimeout(() => client.write(bytes), delayMilliseconds));
    upstream.on('end', () => setTimeout(() => client.end(), delayMilliseconds));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    shut() {
      isOpen = false;
      cut();
    },
    open() {
      isOpen = true;
    },
    [Symbol.dispose]() {
      server.close();
      cut();
    },
  };
};
