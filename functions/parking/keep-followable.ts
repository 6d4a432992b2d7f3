import type { DynamoDBRecord } from 'aws-lambda';
import type { ChangedItem } from '../store/keys.ts';
import type { Item } from '../store/table.ts';

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
type Kept = (image: Image, present: Item | undefined) => Image;

/** What the change of a deleted call needs: its figures are counted again, and subscribers hear that it is gone. */
const factsOfDeletedCall = [
  'pk',
  'sk',
  'agentId',
  'callId',
  'direction',
  'startedAt',
  'version',
  'requestId',
  'deletedAt',
];

/** What an image keeps of a person, by the kind of its item, beside the item as the table has it now. */
const kept: Partial<Record<ChangedItem['kind'], Kept>> = {
  call: (image, present) => {
    const { phone, deletedAt } = (present ?? {}) as { phone?: string; deletedAt?: string };
    if (!present || deletedAt !== undefined) return pick(image, (name) => factsOfDeletedCall.includes(name));
    return pick(image, (name) => name !== 'phone' || image.phone?.S === phone);
  },
  import: (image, present) => {
    const lists = present as { addedNumbers?: string[]; removedNumbers?: string[] } | undefined;
    const withoutLost = (name: 'addedNumbers' | 'removedNumbers') => {
      const numbers = image[name]?.L ?? [];
      const left = numbers.filter(({ S: number = '' }) => lists?.[name]?.includes(number));
      return left.length === numbers.length ? {} : { [name]: { L: left } };
    };
    const lost = { ...withoutLost('addedNumbers'), ...withoutLost('removedNumbers') };
    return Object.keys(lost).length === 0 ? image : { ...image, ...lost };
  },
  consent: (image, present) => {
    // Nothing follows from the packed records of a person, which an erasure may have shortened.
    const lost = ['entries', ...(present && 'erasedAt' in present ? ['proof', 'seller'] : [])];
    return pick(image, (name) => !lost.includes(name));
  },
  erasure: (image) => pick(image, (name) => name !== 'number'),
  'person export': (image) => pick(image, (name) => name !== 'number'),
};

/** Checks whether the change of an item may have what an erasure removes from the table. */
export const mayHavePerson = (item: ChangedItem | undefined): boolean =>
  item !== undefined && (item.kind === 'number' || item.kind in kept);

/**
 * Returns the record of a change that waits, with what of a person the table still has: the same record if it has lost nothing,
 * and undefined for an erased number or consent, which nothing may follow from.
 */
export const keepFollowable = async (
  record: DynamoDBRecord,
  item: ChangedItem | undefined,
  getPresent: () => Promise<Item | undefined>,
): Promise<DynamoDBRecord | undefined> => {
  if (!item || !mayHavePerson(item)) return record;
  const present = await getPresent();
  // A number that is no longer blocked expires.
  if (item.kind === 'number') return present && 'erasedAt' in present ? undefined : record;
  const keep = kept[item.kind] as Kept;
  const { NewImage, OldImage } = record.dynamodb ?? {};
  if (item.kind === 'consent' && !hasConsents(present, [NewImage, OldImage])) return undefined;
  const images = { NewImage: NewImage && keep(NewImage, present), OldImage: OldImage && keep(OldImage, present) };
  if (images.NewImage === NewImage && images.OldImage === OldImage) return record;
  return { ...record, dynamodb: { ...record.dynamodb, ...images } };
};

/** Checks whether an item still has the consents of images. Only an erasure removes one. */
const hasConsents = (present: Item | undefined, images: (Image | undefined)[]): boolean => {
  const { consentId } = (present ?? {}) as { consentId?: string };
  return present !== undefined && images.every((image) => !image?.consentId || image.consentId.S === consentId);
};

/** Returns the image itself if it keeps all its attributes. */
const pick = (image: Image, isKept: (name: string) => boolean): Image => {
  const entries = Object.entries(image);
  const left = entries.filter(([name]) => isKept(name));
  return left.length === entries.length ? image : Object.fromEntries(left);
};
