import { formatKey } from './keys.ts';
import type { Item, Table } from './table.ts';

/** The format of the written items. What an earlier version cannot read gets the next number. */
export const knownFormat = 1;

type FormatItem = Item & { format: number };

/** Thrown for a table that a newer version has written. */
export class NewerFormatError extends Error {
  override readonly name = 'NewerFormatError';

  constructor(place: string, format: number) {
    super(
      `${place} has data of format ${format}, and this version knows formats up to ${knownFormat}: use the version that wrote them, or a newer one.`,
    );
  }
}

/** Throws if the table's format is newer than this version knows. */
export const checkFormat = async (table: Table): Promise<void> => {
  const { format = knownFormat } = (await table.get<FormatItem>(formatKey)) ?? {};
  if (format > knownFormat) throw new NewerFormatError(`The table ${table.name}`, format);
};

/** Writes the format. Throws if the table has a newer format. */
export const claimFormat = async (table: Table): Promise<void> => {
  const item: FormatItem = { ...formatKey, format: knownFormat };
  if ((await table.putNew(item)).isNew) return;
  await checkFormat(table);
  await table.put(item);
};
