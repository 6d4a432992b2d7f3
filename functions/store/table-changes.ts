import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { ItemKey } from './keys.ts';
import type { Item } from './table.ts';

/** A change of an item, as the table's stream reports it. */
export type TableChange<I extends Item = Item> = {
  key: ItemKey;
  before?: I;
  after?: I;
  /** The id of the request that made the change, if the item has it. */
  requestId?: string;
  /** The time of the change in Unix milliseconds. */
  at: number;
  /** Its position in the stream: the same whenever it is read. */
  sequenceNumber: string;
  /** True when DynamoDB deleted the item because it had expired. */
  isExpiry?: boolean;
};

export const toTableChange = ({ dynamodb = {}, userIdentity }: DynamoDBRecord): TableChange => {
  const { Keys, OldImage, NewImage, SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb;
  const unmarshallItem = (image: object | undefined) =>
    image && (unmarshall(image as Record<string, AttributeValue>) as Item);
  const after = unmarshallItem(NewImage);
  return {
    key: unmarshallItem(Keys) as ItemKey,
    before: unmarshallItem(OldImage),
    after,
    requestId: (after as { requestId?: string } | undefined)?.requestId,
    at: Number(ApproximateCreationDateTime) * 1000,
    sequenceNumber: SequenceNumber,
    isExpiry: (userIdentity as { principalId?: string } | undefined)?.principalId === 'dynamodb.amazonaws.com',
  };
};
