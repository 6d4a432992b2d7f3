/** The folder of the bucket with a file for each agent and day, or for each agent and compacted month. */
export const lakeFolder = 'lake/calls/';

/** What the lake has in the place of phone numbers. */
export const lakeNumbers = ['hash', 'clear', 'none'] as const;

/** The calls of an agent in a file of the lake: those of a day (`yyyy-mm-dd`, UTC), or of a month (`yyyy-mm`). */
export type LakePeriod = { agentId: string; day: string };

/** Returns the month of a day, or of a month. */
export const toMonth = (period: string): string => period.slice(0, 'yyyy-mm'.length);

export const isMonth = (period: string): boolean => period === toMonth(period);

/** Returns the month before another one. */
export const monthBefore = (month: string): string => toMonth(new Date(Date.parse(`${month}-01`) - 1).toISOString());

/** Returns the days of a period. A month has 31, of which some do not exist. */
export const daysOfPeriod = (period: string): string[] =>
  isMonth(period)
    ? Array.from({ length: 31 }, (_, index) => `${period}-${String(index + 1).padStart(2, '0')}`)
    : [period];

/** Returns the key of the file with an agent's calls of a period, in the partitions that Hive, DuckDB and Athena know. */
export const lakeFileKey = ({ uid, agentId, day }: LakePeriod & { uid: string }) =>
  `${lakeFolder}uid=${encodeURIComponent(uid)}/${isMonth(day) ? 'month' : 'day'}=${day}/${agentId}.parquet`;

/** The folder of the bucket with the results of queries on AWS. */
export const queryResultsFolder = 'lake/results/';
