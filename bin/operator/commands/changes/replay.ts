import { readFile } from 'node:fs/promises';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { abandonedFolder } from '../../../../functions/domain/parked-changes.ts';
import { maxParkedItems } from '../../../../functions/stream/follow-batch.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { count, print } from '../../../command-line/output.ts';
import { openParking, type Parking } from '../../parking.ts';
import { addCommand, type Group } from '../../program.ts';

/** An invocation of Lambda has at most 6 MB, which the file has as a text in JSON. */
const maxFileBytes = 64 * 1024 * 1024;

export const replayChanges = (changes: Group) =>
  addCommand(
    changes,
    'changes replay',
    'Follow the changes of a file that Lambda has written after twelve hours of failures',
    [
      'aws/lambda/2b1f…/shardId-0001/2027/01/31/2027-01-31T10.00.00-5a1c… --stack voice-agents-prod',
      './batch.json --stack voice-agents-prod',
    ],
    `
The file is a key of the bucket that begins with ${abandonedFolder}, or a file on this machine. Its changes are parked and tried at once.
Following a change twice has one effect. The file is kept: the bucket deletes it after 14 days.
`,
  )
    .argument('<file>', 'a key of the bucket, or a file on this machine')
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      const parking = await openParking(options);
      const records = parseBatch(await readBatch(file, parking));
      const known = await parking.parked.entities();
      if (known.size + records.length > maxParkedItems) {
        const reason = `At most ${maxParkedItems} items can have parked changes: ${known.size} have, and the file has ${records.length} changes.`;
        throw new CommandError(reason);
      }
      await parking.parked.park(
        records.map((record) => ({ record })),
        known,
      );
      await parking.retry();
      print(
        options,
        { changes: records.length },
        () => `${count(records.length, 'change')} will be followed within a minute.`,
      );
    });

const readBatch = async (file: string, { files }: Parking): Promise<string> => {
  if (!file.startsWith(abandonedFolder)) return readFile(file, 'utf8');
  const found = await files.read(file, maxFileBytes);
  if (found && 'bytes' in found) return new TextDecoder().decode(found.bytes);
  throw new CommandError(`The bucket has no file ${file}.`);
};

/** Returns the records of a failed invocation. Lambda writes the event as a text. */
const parseBatch = (text: string): DynamoDBRecord[] => {
  try {
    const { payload } = JSON.parse(text) as { payload?: string | DynamoDBStreamEvent };
    const event = typeof payload === 'string' ? (JSON.parse(payload) as DynamoDBStreamEvent) : payload;
    if (event?.Records.every(({ dynamodb }) => dynamodb?.Keys && dynamodb.SequenceNumber)) return event.Records;
  } catch {}
  throw new CommandError('This is not a file of changes that Lambda has written.', exitCodes.usage);
};
