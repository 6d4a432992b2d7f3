import type { SchemaElement } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { StoredCall } from '../store/calls/call-records.ts';
import { type Column, columns } from './columns.ts';
import type { ExportFile } from './export-file.ts';

/** A row group has this many calls, or fewer where their texts are long: it is held in memory before it is encoded. */
const groupCalls = 10_000;
const groupUnits = 4 * 1024 * 1024;

/** The types of columns as Parquet has them: https://parquet.apache.org/docs/file-format/types/logicaltypes/ */
const types: Record<Column['type'], Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  decimal: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 6 },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
};

const toElement = ({ name, type, isRequired }: Column): SchemaElement => ({
  name,
  repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
  ...types[type],
});

const schema: SchemaElement[] = [{ name: 'calls', num_children: columns.length }, ...columns.map(toElement)];

/** Returns an empty Parquet file of calls, compressed by Snappy, with statistics of each column. */
export const createParquetFile = (): ExportFile => {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'voice-agent-platform-api' });
  let group = startGroup();
  const endGroup = async () => {
    const columnData = columns.map(({ name }, index) => ({ name, data: group.values[index] as unknown[] }));
    await parquet.write({ columnData, rowGroupSize: groupCalls });
    group = startGroup();
  };
  const take = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    get bytes() {
      return writer.offset;
    },
    get pending() {
      return writer.index;
    },
    async add(calls) {
      for (const call of calls) {
        for (const [index, column] of columns.entries()) {
          const value = toStored(column, call);
          group.values[index]?.push(value);
          if (typeof value === 'string') group.units += value.length;
        }
        group.calls++;
        if (group.calls >= groupCalls || group.units >= groupUnits) await endGroup();
      }
    },
    take,
    async finish() {
      if (group.calls > 0) await endGroup();
      await parquet.finish();
      return take();
    },
  };
};

const startGroup = () => ({ calls: 0, units: 0, values: columns.map((): unknown[] => []) });

const toStored = (column: Column, call: StoredCall['call']): unknown => {
  const value = column.read(call);
  return column.type === 'time' && value !== undefined ? new Date(value as string) : value;
};
