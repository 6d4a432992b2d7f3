import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { columns } from '../../functions/call-exports/columns.ts';
import { findFunction, getDeployment, required } from '../support/deployment.ts';

const deployment = getDeployment({ ...required, lake: 'true', lakeNumbers: 'none' });

it('Athena derives the folders of the lake from a query, and knows the columns of its files', () => {
  const [table] = deployment.all('AWS::Glue::Table');
  const { parameters, storageDescriptor, partitionKeys } = table?.properties.TableInput ?? {};
  const input = table?.properties.TableInput;
  expect(parameters ?? input.Parameters).toMatchObject({
    'projection.enabled': 'true',
    'projection.uid.type': 'injected',
    'projection.day.type': 'date',
  });
  const descriptor = storageDescriptor ?? input.StorageDescriptor;
  const named = (descriptor.Columns ?? descriptor.columns) as Record<string, string>[];
  expect(named.map(({ Name, name }) => Name ?? name)).toEqual(columns.map(({ name }) => name));
  const keys = (partitionKeys ?? input.PartitionKeys) as Record<string, string>[];
  expect(keys.map(({ Name, name }) => Name ?? name)).toEqual(['uid', 'day']);
});

it('the files of compacted months are a table of their own, with the same columns', () => {
  const [days, months] = deployment.all('AWS::Glue::Table').map(({ properties }) => properties.TableInput);
  expect(months.StorageDescriptor).toEqual(days.StorageDescriptor);
  expect(months.PartitionKeys.map(({ Name }: { Name: string }) => Name)).toEqual(['uid', 'month']);
  expect(months.Parameters).toMatchObject({
    'projection.month.format': 'yyyy-MM',
    'projection.month.interval.unit': 'MONTHS',
  });
  expect(JSON.stringify(months.Parameters)).toMatch(/uid=\$\{uid\}\/month=\$\{month\}\//);
});

it('a constant uid of a query reaches both tables of the view: each is a scan of its own, or joined by an equality of uid', () => {
  const [view] = deployment.all('AWS::Athena::NamedQuery');
  const sql = String(view?.properties.QueryString);
  expect(sql).toBe(readFileSync('functions/lake/calls.sql', 'utf8'));
  const scans = [...sql.matchAll(/from (\w+)/g)].map(([, name]) => name);
  expect(scans).toEqual(['call_files', 'month_files', 'month_files']);
  expect(sql).toContain('left join (select distinct uid, agent_id, month from month_files) as compacted');
  expect(sql).toContain('on compacted.uid = call_files.uid');
  // A correlated subquery has no constant of its own.
  expect(sql).not.toMatch(/\bexists\b|\bin \(/);
});

it('a query is ended at a limit of bytes, which no caller can raise', () => {
  const [workGroup] = deployment.all('AWS::Athena::WorkGroup');
  expect(workGroup?.properties.WorkGroupConfiguration).toMatchObject({
    EnforceWorkGroupConfiguration: true,
    BytesScannedCutoffPerQuery: 100e9,
  });
});

it('only a deployment with a lake has its table, and its functions write files', () => {
  const variables = (one: typeof deployment, name: string) =>
    findFunction(one, name)?.properties.Environment.Variables as Record<string, string>;
  expect(variables(deployment, 'countCalls').LAKE).toBe('true');
  expect(variables(deployment, 'writeLake').LAKE_NUMBERS).toBe('none');
  expect(variables(getDeployment(), 'countCalls').LAKE).toBe('false');
  expect(getDeployment().all('AWS::Glue::Table')).toEqual([]);
});
