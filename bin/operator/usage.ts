import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  paginateDescribeLogGroups,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { Mistake } from './mistake.ts';

/** What a key was used for, as the request log tells it. */
export type KeyUsage = {
  keyId: string;
  uid: string;
  requests: number;
  /** Refused: answered with a status from 400 to 499. */
  refused: number;
  /** Failed: answered with a status of 500. */
  failed: number;
  lastUsedAt: string;
};

/** CloudWatch Logs searches no more groups than this at once. */
const groupsPerQuery = 50;

/**
 * How often each key was used since a time (Unix milliseconds), and when last. Requests write nothing for it: they log
 * the id of their key, and CloudWatch Logs counts.
 */
export const keyUsage = async (stack: string, since: number, region?: string): Promise<KeyUsage[]> => {
  const client = new CloudWatchLogsClient(region ? { region } : {});
  const groups: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups(
    { client },
    { logGroupNamePrefix: `/aws/lambda/${stack}-` },
  )) {
    groups.push(...logGroups.map(({ logGroupName = '' }) => logGroupName));
  }
  if (groups.length === 0) throw new Mistake(`There are no logs of a stack ${stack} in this region.`);
  const rows: KeyUsage[] = [];
  for (let start = 0; start < groups.length; start += groupsPerQuery) {
    rows.push(...(await search(client, groups.slice(start, start + groupsPerQuery), since)));
  }
  return merged(rows);
};

const query = `filter ispresent(keyId)
| stats count(*) as requests, sum(status >= 400 and status < 500) as refused, sum(status >= 500) as failed,
  max(@timestamp) as last by keyId, uid
| limit 10000`;

const search = async (client: CloudWatchLogsClient, logGroupNames: string[], since: number): Promise<KeyUsage[]> => {
  const { queryId } = await client.send(
    new StartQueryCommand({
      logGroupNames,
      startTime: Math.floor(since / 1000),
      endTime: Math.ceil(Date.now() / 1000),
      queryString: query,
    }),
  );
  for (let waited = 250; ; waited = Math.min(2 * waited, 4000)) {
    await sleep(waited);
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete') return results.map(usageOf);
    if (status !== 'Scheduled' && status !== 'Running') {
      throw new Mistake(`CloudWatch Logs gave the search up (${status}): ask for fewer days.`);
    }
  }
};

const usageOf = (row: ResultField[]): KeyUsage => {
  const fields = Object.fromEntries(row.map(({ field = '', value = '' }) => [field, value]));
  const { keyId = '', uid = '', last = '' } = fields;
  return {
    keyId,
    uid,
    requests: Number(fields.requests),
    refused: Number(fields.refused),
    failed: Number(fields.failed),
    lastUsedAt: new Date(/^\d+$/.test(last) ? Number(last) : `${last.replace(' ', 'T')}Z`).toISOString(),
  };
};

/** One row a key, the last used first. */
const merged = (rows: KeyUsage[]): KeyUsage[] => {
  const byKey = new Map<string, KeyUsage>();
  for (const row of rows) {
    const before = byKey.get(row.keyId);
    byKey.set(
      row.keyId,
      before
        ? {
            ...row,
            requests: before.requests + row.requests,
            refused: before.refused + row.refused,
            failed: before.failed + row.failed,
            lastUsedAt: before.lastUsedAt > row.lastUsedAt ? before.lastUsedAt : row.lastUsedAt,
          }
        : row,
    );
  }
  return [...byKey.values()].sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
};
