import { statSync } from 'node:fs';
import { join } from 'node:path';
import { endpointPermissions } from '../../../functions/http/permissions.ts';
import { permissionsOfJob } from '../../../functions/jobs/job.ts';
import { jobs } from '../../../functions/jobs.ts';
import { routes } from '../../../functions/routes.ts';
import { bundlePath } from '../../../lib/bundles.ts';
import type { Row } from '../benchmark.ts';

/** Limits in KiB: functions that use the table alone, functions that also use S3 or a queue, and those that carry a provider's package. */
const tableOnly = 320;
const filesOrQueue = 397;
// Adding a website has the parser of robots.txt, the crawl job those of web pages.
const ownLimits: Record<string, number> = {
  // And the plan of refreshes.
  addWebsite: 485,
  getInvoices: 300,
  // It has five platforms with their signatures, the versions of agents, calls with their outcomes, and what a search reads.
  receiveHook: 360,
  // They list the agents of a user, and add up figures and costs in periods of a time zone.
  getCallFigures: 319,
  getUserFigures: 325,
  // It judges the rules of outbound calls.
  decideCallStart: 321,
  // It has the guides that it searches, compressed.
  buildChat: 915,
  crawlWebsite: 1730,
  extractDocument: 450,
  // The functions that send webhooks contain the client for guarded connections.
  updateWebhookEndpoint: 335,
  testWebhookEndpoint: 1055,
  deliverWebhook: 1050,
  // Its tools are compressed.
  serveMcp: 80,
};

/** The code that Lambda loads before a function's first response, minified, as it is deployed. */
export const bundles: Row = {
  name: 'bundles',
  title: 'Size of every function’s bundle',

  async measure() {
    const functions = [
      ...routes.map((route) => ({ name: route.name, permissions: endpointPermissions(route) })),
      ...jobs.map((job) => ({ name: job.name, permissions: permissionsOfJob(job) })),
    ];
    return functions.map(({ name, permissions }) => {
      const kibibytes = statSync(join(bundlePath(name), 'index.mjs')).size / 1024;
      const isOnTable = permissions.some((permission) => permission.startsWith('dynamodb:'));
      // Reading the secret of Idempotency-Keys without the SDK takes only a few KiB.
      const isTableOnly = isOnTable && permissions.every((one) => /^dynamodb:|GetSecretValue:erasure$/.test(one));
      const limit = ownLimits[name] ?? (isTableOnly ? tableOnly : isOnTable ? filesOrQueue : undefined);
      return {
        what: name,
        ours: { value: kibibytes, unit: 'KiB' as const },
        ...(limit && { target: { text: `≤ ${limit} KiB`, reached: kibibytes <= limit } }),
      };
    });
  },
};
