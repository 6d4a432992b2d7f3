import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { startBedrock } from '../../bin/local/bedrock.ts';
import { listen } from '../../bin/local/listen.ts';
import { youngSpace } from '../../vitest.config.ts';
import { startReceivers } from './receiver.ts';
import { startSite } from './site.ts';

/** The address of the service under test and its demo data: the JSON line of the local run. */
export type Target = {
  baseUrl: string;
  /** The public address, which voice platforms sign: that of an emulated deployment, or `baseUrl` of a local run. */
  publicUrl?: string;
  apiKey: string;
  usersApiKey: string;
  uid: string;
  agentId: string;
  otherUid: string;
  otherApiKey: string;
  otherAgentId: string;
  appOrigin: string;
  /** The secret that the local run generated. The secret of a deployment is unknown. */
  erasureSecret?: string;
  customerId: string;
  callId: string;
  phone: string;
  tableName: string;
  endpoints: { dynamodb: string; s3: string; sqs: string; stripe: string; bedrock: string };
  /** The credentials of the local stores. */
  credentials: { accessKeyId: string; secretAccessKey: string };
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** Responds with the `Target`, once the service has started. */
    targetUrl: string;
    /** A website that the service's crawler may read. It responds with what is put under its paths. */
    siteOrigin: string;
    /** Receivers that the service's webhooks may be sent to: see `startReceivers`. */
    receiverOrigin: string;
  }
}

/**
 * Starts the local run once, as a user would, and ends it after the last test. Test files are loaded while it starts, and
 * those that do not call it do not wait for it.
 */
export default async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-tests-'));
  // This folder holds all temporary files of tests and of the programs that they start, and is deleted at the end.
  process.env.TMPDIR = folder;
  const site = await startSite();
  const receivers = await startReceivers();
  // The fake model streams faster than it does for a person.
  const bedrock = await startBedrock({ paceMilliseconds: 4 });
  const service = spawn(
    process.execPath,
    // The guard ends it with this process, however this one ends.
    [
      'bin/guard.mjs',
      process.execPath,
      ...youngSpace,
      '--import',
      './test/support/strict-transactions.ts',
      'bin/local.ts',
      '--port',
      '0',
      '--json',
      '--demo-days',
      '0',
      '--run-file',
      join(folder, 'run.json'),
    ],
    // All tests share one address, and make more requests than one caller may.
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.endpoint,
        CHAT_RATE_PER_MINUTE: '1000',
        CHAT_DAILY_TOKENS: '100000000',
        CRAWL_TRUSTED_ORIGINS: site.origin,
        // The second one is in the examples of the documentation.
        WEBHOOK_TRUSTED_ORIGINS: `${receivers.origin},https://crm.example.com`,
      },
    },
  );
  const target = firstLine(service).then((line) => {
    const { erasureSecret } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    return JSON.stringify({ ...JSON.parse(line), erasureSecret });
  });
  // If it fails, each test that needs it reports so.
  target.catch(() => {});
  const server = createServer((_request, response) => {
    target.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  const { endpoint: targetUrl, stop } = await listen(server);
  project.provide('targetUrl', targetUrl);
  project.provide('siteOrigin', site.origin);
  project.provide('receiverOrigin', receivers.origin);
  return async () => {
    service.stdin.end();
    if (service.exitCode === null) await once(service, 'exit');
    await Promise.all([stop(), site.stop(), receivers.stop(), bedrock.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
};

const firstLine = (service: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let log = '';
    service.stderr?.on('data', (text) => {
      log += text;
    });
    createInterface({ input: service.stdout as NodeJS.ReadableStream }).once('line', resolve);
    service.once('exit', (code) => reject(new Error(`The local run ended with ${code}:\n${log}`)));
  });
