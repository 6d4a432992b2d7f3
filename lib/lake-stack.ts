import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { Construct } from 'constructs';
import { columns } from '../functions/call-exports/columns.ts';
import { lakeFolder, queryResultsFolder } from '../functions/domain/lake.ts';
import type { DataStack } from './data-stack.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { deploymentName, type Settings } from './settings.ts';

/** A query is ended after so many bytes: 100 GB cost half a dollar. */
const maxScannedBytes = 100e9;

/** The types of columns in Athena. */
const types = { text: 'string', time: 'timestamp', decimal: 'decimal(38,6)', integer: 'int', number: 'double' };

/** SQL over the calls of all users: a Glue table over the files of the lake, and an Athena workgroup with a limit. */
export class LakeStack extends NamedNestedStack {
  constructor(scope: Construct, id: string, { files }: DataStack, settings: Settings) {
    super(scope, id);
    const catalogId = Aws.ACCOUNT_ID;
    const databaseName = deploymentName(settings).replaceAll('-', '_');
    const location = `s3://${files.bucketName}/${lakeFolder}`;
    const database = new CfnDatabase(this, 'Database', { catalogId, databaseInput: { name: databaseName } });
    const addTable = (id: string, name: string, partition: string, projection: Record<string, string>): CfnTable => {
      const table = new CfnTable(this, id, {
        catalogId,
        databaseName,
        tableInput: {
          name,
          tableType: 'EXTERNAL_TABLE',
          partitionKeys: ['uid', partition].map((key) => ({ name: key, type: 'string' })),
          // Athena derives the folders from a query's conditions, so that no partition is ever added.
          parameters: {
            classification: 'parquet',
            'projection.enabled': 'true',
            'projection.uid.type': 'injected',
            [`projection.${partition}.type`]: 'date',
            ...Object.fromEntries(
              Object.entries(projection).map(([field, value]) => [`projection.${partition}.${field}`, value]),
            ),
            'storage.location.template': `${location}uid=\${uid}/${partition}=\${${partition}}/`,
          },
          storageDescriptor: {
            location,
            columns: columns.map((column) => ({ name: column.name, type: types[column.type] })),
            inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
            outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
            serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
          },
        },
      });
      table.addDependency(database);
      return table;
    };
    const tables = [
      addTable('CallFiles', 'call_files', 'day', { format: 'yyyy-MM-dd', range: '2020-01-01,NOW+1DAYS' }),
      addTable('MonthFiles', 'month_files', 'month', {
        format: 'yyyy-MM',
        range: '2020-01,NOW',
        interval: '1',
        'interval.unit': 'MONTHS',
      }),
    ];
    const workGroup = new CfnWorkGroup(this, 'Queries', {
      name: deploymentName(settings),
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        bytesScannedCutoffPerQuery: maxScannedBytes,
        resultConfiguration: {
          outputLocation: `s3://${files.bucketName}/${queryResultsFolder}`,
          encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        },
      },
    });
    const view = new CfnNamedQuery(this, 'CallsView', {
      name: 'calls',
      description: 'Creates the view calls. Run it once.',
      database: databaseName,
      workGroup: workGroup.ref,
      queryString: readFileSync(join(import.meta.dirname, '../functions/lake/calls.sql'), 'utf8'),
    });
    for (const table of tables) view.addDependency(table);
  }
}
