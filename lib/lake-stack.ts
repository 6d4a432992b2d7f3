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
    const name = deploymentName(settings).replaceAll('-', '_');
    const location = `s3://${files.bucketName}/${lakeFolder}`;
    const database = new CfnDatabase(this, 'Database', { catalogId, databaseInput: { name } });
    const table = new CfnTable(this, 'CallFiles', {
      catalogId,
      databaseName: name,
      tableInput: {
        name: 'call_files',
        tableType: 'EXTERNAL_TABLE',
        partitionKeys: [
          { name: 'uid', type: 'string' },
          { name: 'day', type: 'string' },
        ],
        // Athena derives the folders from a query's conditions, so that no partition is ever added.
        parameters: {
          classification: 'parquet',
          'projection.enabled': 'true',
          'projection.uid.type': 'injected',
          'projection.day.type': 'date',
          'projection.day.format': 'yyyy-MM-dd',
          'projection.day.range': '2020-01-01,NOW+1DAYS',
          'storage.location.template': `${location}uid=\${uid}/day=\${day}/`,
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
      database: name,
      workGroup: workGroup.ref,
      queryString: readFileSync(join(import.meta.dirname, '../functions/lake/calls.sql'), 'utf8'),
    });
    view.addDependency(table);
  }
}
