import { statSync } from 'node:fs';
import { join } from 'node:path';
import { permissionsOf } from '../../../functions/http/endpoint.ts';
import { jobs } from '../../../functions/jobs.ts';
import { routes } from '../../../functions/routes.ts';
import { bundlePath } from '../../../lib/bundles.ts';
import type { Row } from '../benchmark.ts';

/** What a bundle may weigh, in KiB: one that uses the table alone, and those that carry a provider's package. */
const ofTableAlone = 215;
const ofFiles = 400;
// The job that reads documents carries a reader of PDF and one of Word documents; the one that crawls, readers of pages.
const most: Record<string, number> = { buildChat: 960, getInvoices: 330, crawlWebsite: 1700, extractDocument: 2800 };

/** The code that Lambda loads before a function's first answer, minified, as it is deployed. */
export const bundles: Row = {
  name: 'bundles',
  title: 'Size of every function’s bundle',

  async measure() {
    const functions = [...routes.map((route) => ({ ...route, may: permissionsOf(route) })), ...jobs];
    return functions.map(({ name, may, sends = [], secrets = [] }) => {
      const kibibytes = statSync(join(bundlePath(name), 'index.mjs')).size / 1024;
      const others = may.filter((action) => !action.startsWith('dynamodb:'));
      const onTableAlone = may.length > 0 && [...others, ...sends, ...secrets].length === 0;
      const onFiles = others.some((action) => action.startsWith('s3:'));
      const limit = most[name] ?? (onTableAlone ? ofTableAlone : onFiles ? ofFiles : undefined);
      return {
        what: name,
        ours: { value: kibibytes, unit: 'KiB' as const },
        ...(limit && { target: { text: `≤ ${limit} KiB`, reached: kibibytes <= limit } }),
      };
    });
  },
};
