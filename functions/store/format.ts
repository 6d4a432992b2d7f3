import { formatKey } from './keys.ts';
import type { Item, Table } from './table.ts';

/**
 * The format of the items that this version writes. From 1.0.0 on, data are kept across upgrades: a change that an
 * earlier version cannot read gets the next number. Format 2 stores the content of an agent's version apart from what a
 * list shows of it. Versions of format 1 are read as they are. Format 3 stores the figures of a day as columns, with
 * costs. Figures of format 2 are read without costs, and counted again with their next change.
 */
export const knownFormat = 3;

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

/** Reads the format of a table, and throws if it is newer than this version knows. */
export const checkFormat = async (table: Table): Promise<void> => {
  const { format = knownFormat } = (await table.get<FormatItem>(formatKey)) ?? {};
  if (format > knownFormat) throw new NewerFormatError(`The table ${table.name}`, format);
};

/** Writes the format into a table that has none or an earlier one. Throws for a newer format than this version knows. */
export const claimFormat = async (table: Table): Promise<void> => {
  const item: FormatItem = { ...formatKey, format: knownFormat };
  if ((await table.putNew(item)).isNew) return;
  await checkFormat(table);
  await table.put(item);
};
