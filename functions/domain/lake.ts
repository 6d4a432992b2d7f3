/** The folder of the bucket with a file for each agent and day. */
export const lakeFolder = 'lake/calls/';

/** What the lake has in the place of phone numbers. */
export const lakeNumbers = ['hash', 'clear', 'none'] as const;

/** Returns the key of the file with an agent's calls of a day (UTC), in the partitions that Hive, DuckDB and Athena know. */
export const lakeFileKey = ({ uid, agentId, day }: { uid: string; agentId: string; day: string }) =>
  `${lakeFolder}uid=${encodeURIComponent(uid)}/day=${day}/${agentId}.parquet`;

/** The folder of the bucket with the results of queries on AWS. */
export const queryResultsFolder = 'lake/results/';
