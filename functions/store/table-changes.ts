import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describeError, log } from '../log.ts';
import { changedItem, type ItemKey } from './keys.ts';
import type { Item } from './table.ts';

/** A change of an item, as the table's stream reports it. */
export type TableChange<I extends Item = Item> = {
  key: ItemKey;
  before?: I;
  after?: I;
  /** The request that made the change, if known. */
  requestId?: string;
  /** The time of the change in Unix milliseconds. */
  at: number;
  /** Its position in the stream: the same whenever it is read. */
  sequenceNumber: string;
  /** True when DynamoDB deleted the item because it had expired. */
  isExpiry?: boolean;
};

/** What identifies a change in the stream and in an error line. */
type ChangeReference = Pick<TableChange, 'key' | 'requestId' | 'sequenceNumber'>;

const unmarshallItem = <I extends object | undefined>(image: I) =>
  image && (unmarshall(image as Record<string, AttributeValue>) as Item);

export const toTableChange = (record: DynamoDBRecord): TableChange => {
  const { dynamodb: { OldImage, NewImage, ApproximateCreationDateTime = 0 } = {}, userIdentity } = record;
  return {
    ...toReference(record),
    before: unmarshallItem(OldImage),
    after: unmarshallItem(NewImage),
    at: Number(ApproximateCreationDateTime) * 1000,
    isExpiry: (userIdentity as { principalId?: string } | undefined)?.principalId === 'dynamodb.amazonaws.com',
  };
};

/** Returns what identifies a change whose images may be unreadable. */
export const toReference = ({
  dynamodb: { Keys = {}, NewImage, SequenceNumber = '' } = {},
}: DynamoDBRecord): ChangeReference => ({
  key: unmarshallItem(Keys) as ItemKey,
  requestId: NewImage?.requestId?.S,
  sequenceNumber: SequenceNumber,
});

/** Logs unreadable changes by the first, without a number or a key's hash. */
export const reportFailure = (changes: ChangeReference[], error: Error): void => {
  const [first] = changes;
  log('error', {
    requestId: first?.requestId,
    job: 'readChanges',
    sequenceNumber: first?.sequenceNumber,
    item: first && changedItem(first.key),
    changes: changes.length,
    cause: describeError(error),
  });
};

/** The changes that failed, with the last error of each. */
export class FailedChanges extends Map<TableChange, Error> {
  /** Runs work for some changes, which fail if it throws. */
  async attempt(changes: TableChange[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.add(changes, error as Error);
      reportFailure(changes, error as Error);
    }
  }

  add(changes: Iterable<TableChange>, error: Error): void {
    for (const change of changes) this.set(change, error);
  }
}
