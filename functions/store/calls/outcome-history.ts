import { type Call, outcomeFields } from '../../domain/calls.ts';

type Entry = NonNullable<Call['outcomeHistory']>[number];

/** A key's id with its name then, or an outcome's label. */
type Text = string | [keyId: string, keyName: string];
/** Milliseconds since the change before, key, fields as bits, new label and value. Texts are positions. */
type PackedEntry = [milliseconds: number, key: number, bits: number, ...values: (number | null)[]];

/** Packs a history, each text once: twenty changes stay under a kilobyte. */
export const packHistory = (history: Entry[]): string => {
  const texts: string[] = [];
  const indexText = (text: Text) => {
    const written = JSON.stringify(text);
    if (!texts.includes(written)) texts.push(written);
    return texts.indexOf(written);
  };
  let time = 0;
  const changes = history.map(({ at, keyId, keyName, fields, custom_call_outcome, custom_call_outcome_value }) => {
    const milliseconds = Date.parse(at) - time;
    time += milliseconds;
    const bits = outcomeFields.reduce((sum, field, bit) => sum | (fields.includes(field) ? 1 << bit : 0), 0);
    const label = typeof custom_call_outcome === 'string' ? indexText(custom_call_outcome) : custom_call_outcome;
    const values = [label, custom_call_outcome_value].filter((value) => value !== undefined);
    return [milliseconds, indexText(keyName === undefined ? keyId : [keyId, keyName]), bits, ...values];
  });
  return `[[${texts.join()}],${JSON.stringify(changes).slice(1)}`;
};

/** Unpacks the changes of an outcome. */
export const unpackHistory = (packed: string): Entry[] => {
  const [texts, ...changes] = JSON.parse(packed) as [Text[], ...PackedEntry[]];
  let time = 0;
  return changes.map(([milliseconds, key, bits, ...values]) => {
    time += milliseconds;
    const [keyId = '', keyName] = [texts[key]].flat();
    const fields = outcomeFields.filter((_, bit) => bits & (1 << bit));
    const label = fields.includes('custom_call_outcome') ? values.shift() : undefined;
    const [value] = values;
    return {
      at: new Date(time).toISOString(),
      keyId,
      keyName,
      fields,
      ...(label !== undefined && { custom_call_outcome: label === null ? null : (texts[label] as string) }),
      custom_call_outcome_value: value,
    };
  });
};
