import type { PersonCounts } from '../domain/person-exports.ts';
import { service } from '../service.ts';
import { Exports, exportPermissions, type StoredExport } from '../store/exports.ts';
import { table } from '../store/table.ts';

/** An export of a person. Once it has ended, the keyed hash is all that it keeps of the number. */
export type StoredPersonExport = StoredExport & { numberHash: string; number?: string; counts?: PersonCounts };

export const personExports = /* @__PURE__ */ service(
  () => new Exports<StoredPersonExport>(table.get(), 'PERSON'),
  exportPermissions,
);
