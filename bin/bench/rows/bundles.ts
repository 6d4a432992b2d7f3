import { statSync } from 'node:fs';
import { join } from 'node:path';
import { permissionsOf } from '../../../functions/http/endpoint.ts';
import { jobs } from '../../../functions/jobs.ts';
import { routes } from '../../../functions/routes.ts';
import { bundleOf } from '../../../lib/bundles.ts';
import type { Row } from '../row.ts';

/** What a bundle may weigh, in KiB: an operation's that uses the table alone, and those that carry a provider's package. */
const ofTableAlone = 215;
const most: Record<string, number> = { buildChat: 960, getInvoices: 330 };

/** The code that Lambda loads before a function's first answer, minified, as it is deployed. */
export const bundles: Row = {
  name: 'bundles',
  title: 'Size of every function’s bundle',

  async measure() {
    const operations = routes.map((route) => ({ ...route, may: permissionsOf(route) }));
    return [...operations, ...jobs].map(({ name, may, sends = [], secrets = [], ...kind }) => {
      const kibibytes = statSync(join(bundleOf(name), 'index.mjs')).size / 1024;
      const others = may.filter((action) => !action.startsWith('dynamodb:'));
      const onTableAlone = 'method' in kind && may.length > 0 && [...others, ...sends, ...secrets].length === 0;
      const limit = most[name] ?? (onTableAlone ? ofTableAlone : undefined);
      return {
        what: name,
        ours: { value: kibibytes, unit: 'KiB' as const },
        ...(limit && { target: { text: `≤ ${limit} KiB`, reached: kibibytes <= limit } }),
      };
    });
  },
};
