import { S3Client } from '@aws-sdk/client-s3';
import { Table } from '../../../functions/store/table.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { print, record } from '../../command-line/output.ts';
import { sayUnconfirmed } from '../confirmation.ts';
import { readErasureSecret } from '../erasure-secret.ts';
import { addCommand, type Operator } from '../program.ts';
import { newerErasures } from '../restore/newer-erasures.ts';
import { repeatErasures } from '../restore/repeat-erasures.ts';
import { restoreFiles } from '../restore/restore-files.ts';
import { restoreTable } from '../restore/restore-table.ts';
import { readOutputs } from '../stack.ts';
import { openStores, requireKnownFormat } from '../stores.ts';

/**
 * The number of items that are the same in both tables, and of those that a restore writes and deletes. It repeats erasures that
 * ended after the time of the other table, and brings back deleted files of documents, where it knows the bucket.
 */
type Restoration = { same: number; written: number; deleted: number; erasures: number; files?: number };

export const restore = (program: Operator) =>
  addCommand(program, 'restore', "Replace the table's contents with another table's, such as a point-in-time restore", [
    '--stack voice-agents-prod --from voice-agents-restored',
    '--stack voice-agents-prod --from voice-agents-restored --yes',
  ])
    .requiredOption('--from <table>', 'the other table, in the same region')
    .option('--yes', 'restore (default: only count the changes)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { table } = await openStores(options);
      const { from, yes = false } = options;
      if (from === table.name) {
        throw new CommandError('A table cannot be restored from itself. Name another table.', exitCodes.usage);
      }
      await requireKnownFormat(new Table(table.client, from));
      const newer = await newerErasures(table, from);
      // Without the secret, nothing is restored: the data of erased people would return.
      const secret = yes && newer.length > 0 ? await readErasureSecret(options) : '';
      const restored = await restoreTable(table, from, yes, newer);
      if (secret) await repeatErasures(table, newer, secret);
      const { stack, region } = options;
      const bucket = stack ? (await readOutputs(stack, region)).FilesBucket : process.env.FILES_BUCKET;
      const client = new S3Client({ region, forcePathStyle: true });
      const files = bucket ? await restoreFiles(new Table(table.client, from), { client, bucket }, yes) : undefined;
      const done: Restoration = { ...restored, erasures: newer.length, files };
      print(options, { table: table.name, from, done: yes, ...done }, () => record(yes ? done : wouldBe(done)));
      if (!yes) sayUnconfirmed('changed');
    });

const wouldBe = ({ same, written, deleted, erasures, files }: Restoration) => ({
  same,
  'would be written': written,
  'would be deleted': deleted,
  'erasures that would be repeated': erasures,
  'files that would be restored': files,
});
