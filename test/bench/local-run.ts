import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the local run reports of its demo. */
export type LocalRun = { baseUrl: string; uid: string; apiKey: string; agentId: string } & Record<
  `other${string}`,
  string
>;

/** The environment before a measurement changes it: a local run must not use what a `World` uses. */
const environment = { ...process.env };

/** Starts the local run as a user does, with further settings. */
export const startLocalRun = async (settings: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-bench-'));
  const service = spawn(
    process.execPath,
    ['bin/local.ts', '--port', '0', '--json', '--json-log', '--run-file', join(folder, 'run.json')],
    { stdio: ['ignore', 'pipe', 'ignore'], env: { ...environment, ...settings } },
  );
  const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
  return {
    run: JSON.parse(line) as LocalRun,
    async stop() {
      service.kill('SIGTERM');
      await once(service, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
