import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  paginateDescribeLogGroups,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { CommandError } from '../../command-line/exit-codes.ts';

/** The use of a key according to the request log. */
export type KeyUsage = {
  keyId: string;
  uid: string;
  requests: number;
  /** Responses with a status from 400 to 499. */
  refused: number;
  /** Responses with a status from 500. */
  failed: number;
  /** Absent when the key was not used in the period. */
  lastUsedAt?: string;
};

/** Limits of one query of CloudWatch Logs. */
const groupsPerQuery = 50;
const maxRows = 10_000;

/**
 * Counts the requests of each key since a time (Unix milliseconds). Requests write nothing to the table for this: they
 * log the id of their key, and CloudWatch Logs counts.
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
  if (groups.length === 0) throw new CommandError(`There are no logs of stack ${stack} in this region.`);
  const counts: Count[] = [];
  for (let start = 0; start < groups.length; start += groupsPerQuery) {
    counts.push(...(await search(client, groups.slice(start, start + groupsPerQuery), since)));
  }
  return sumUsage(counts);
};

/** The number of responses with this status to a key, and the time of the last one. */
type Count = { keyId: string; uid: string; status: number; requests: number; last: string };

const query = `filter ispresent(keyId) and ispresent(status)
| stats count(*) as requests, max(@timestamp) as last by keyId, uid, status
| limit ${maxRows}`;

const search = async (client: CloudWatchLogsClient, logGroupNames: string[], since: number): Promise<Count[]> => {
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
    if (status === 'Complete') {
      if (results.length >= maxRows)
        throw new CommandError('Too many keys were used for one query. Use a shorter --since.');
      return results.map(toCount);
    }
    if (status !== 'Scheduled' && status !== 'Running') {
      throw new CommandError(`CloudWatch Logs ended the query as ${status}. Use a shorter --since.`);
    }
  }
};

const toCount = (row: ResultField[]): Count => {
  const {
    keyId = '',
    uid = '',
    status,
    requests,
    last = '',
  } = Object.fromEntries(row.map(({ field = '', value = '' }) => [field, value]));
  // max(@timestamp) comes in Unix milliseconds, or as a UTC time without an offset.
  const lastUsed = new Date(/^\d+$/.test(last) ? Number(last) : `${last.replace(' ', 'T')}Z`);
  if (!keyId || !(Number(requests) > 0) || Number.isNaN(lastUsed.getTime())) {
    throw new CommandError('CloudWatch Logs returned rows that are not counts of keys.');
  }
  return { keyId, uid, status: Number(status), requests: Number(requests), last: lastUsed.toISOString() };
};

/** Returns one row per key, the last used first. */
const sumUsage = (counts: Count[]): KeyUsage[] =>
  Object.values(Object.groupBy(counts, ({ keyId }) => keyId))
    .map((ofKey = []) => {
      const [{ keyId, uid }] = ofKey as [Count];
      const sum = (from: number, to: number) =>
        ofKey.reduce((total, { status, requests }) => total + (status >= from && status <= to ? requests : 0), 0);
      const lastUsedAt = ofKey.map(({ last }) => last).reduce((a, b) => (a > b ? a : b));
      return { keyId, uid, requests: sum(0, 599), refused: sum(400, 499), failed: sum(500, 599), lastUsedAt };
    })
    .sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
