import { statSync } from 'node:fs';
import { join } from 'node:path';
import { permissionsOf } from '../../../functions/http/permissions.ts';
import { permissionsOfJob } from '../../../functions/jobs/job.ts';
import { jobs } from '../../../functions/jobs.ts';
import { routes } from '../../../functions/routes.ts';
import { bundlePath } from '../../../lib/bundles.ts';
import type { Row } from '../benchmark.ts';

/** Limits in KiB: functions that use the table alone, functions that also use S3 or a queue, and those that carry a provider's package. */
const tableOnly = 288;
const filesOrQueue = 350;
// An upload contains parsers of multipart forms and of zip, the crawl job of web pages, the extraction job of PDF and DOCX.
// What makes or searches an index, and the chat whose tool does, contains the stemmers of 27 languages.
const ownLimits: Record<string, number> = {
  uploadDocuments: 357,
  addWebsite: 470,
  getInvoices: 300,
  buildChat: 1465,
  crawlWebsite: 2000,
  extractDocument: 3050,
  searchKnowledge: 640,
  decideCallStart: 306,
  receiveHook: 306,
  indexKnowledge: 645,
  // Its tools are compressed.
  serveMcp: 80,
};

/** The code that Lambda loads before a function's first response, minified, as it is deployed. */
export const bundles: Row = {
  name: 'bundles',
  title: 'Size of every function’s bundle',

  async measure() {
    const functions = [
      ...routes.map((route) => ({ name: route.name, permissions: permissionsOf(route) })),
      ...jobs.map((job) => ({ name: job.name, permissions: permissionsOfJob(job) })),
    ];
    return functions.map(({ name, permissions }) => {
      const kibibytes = statSync(join(bundlePath(name), 'index.mjs')).size / 1024;
      const isOnTable = permissions.some((permission) => permission.startsWith('dynamodb:'));
      const isTableOnly = isOnTable && permissions.every((permission) => permission.startsWith('dynamodb:'));
      const limit = ownLimits[name] ?? (isTableOnly ? tableOnly : isOnTable ? filesOrQueue : undefined);
      return {
        what: name,
        ours: { value: kibibytes, unit: 'KiB' as const },
        ...(limit && { target: { text: `≤ ${limit} KiB`, reached: kibibytes <= limit } }),
      };
    });
  },
};
