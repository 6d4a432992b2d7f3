import type { OpenApiDocument } from '../../functions/openapi/openapi.ts';
import { capitalize } from './operation-names.ts';
import { type ClientOperation, clientOperations } from './operations.ts';
import { clientEvents } from './schemas.ts';

/** Returns the Python source of a class for each group, of a class with all groups, and of the webhook events. */
export const pythonOperations = (document: OpenApiDocument): string => {
  const operations = clientOperations(document);
  const events = clientEvents(document);
  const groups = Object.entries(Object.groupBy(operations, ({ group }) => group));
  const models = [
    ...operations.flatMap(({ params, responseType }) => [params?.name, responseType]),
    ...events.map(({ name }) => name),
  ].filter((name) => name !== undefined);
  return [
    head,
    `from .models import (\n${[...new Set(models)]
      .sort()
      .map((name) => `    ${name},\n`)
      .join('')})`,
    'from .requests import Connection, ListOperation, Operation, StreamOperation, items_of, no_params',
    ...groups.map(([group, all = []]) => `\n\n${formatClass(group, all)}`),
    `\n\n${apiClass(groups.map(([group]) => group))}`,
    `\n\nWebhookEvent = (\n    ${events.map(({ name }) => name).join('\n    | ')}\n)`,
    `\nEVENTS: dict[str, Callable[[Any], WebhookEvent]] = {`,
    ...events.map(({ type, name }) => `    "${type}": ${name}.from_dict,`),
    '}\n',
  ].join('\n');
};

const head = `"""The operations of the service, by group. Generated from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self
`;

const formatClass = (group: string, operations: ClientOperation[]) =>
  `class ${capitalize(group)}:
    """The operations \`${snakeCase(group)}\` of a client."""

    def __init__(self, connection: Connection) -> None:
${operations.map((operation) => `        ${assignment(operation).replaceAll(/\n(?=.)/g, '\n        ')}\n`).join('')}`.trimEnd();

const assignment = (operation: ClientOperation) => {
  const { verb, method, path, query, body, takesUid, params, responseType, list } = operation;
  const response = responseType ? `${responseType}.from_dict` : 'str';
  const options = [
    ...(query.length > 0 ? [`query=(${query.map((name) => `"${name}", `).join('')})`] : []),
    ...(body ? [`body="${body}"`] : []),
    ...(takesUid ? ['takes_uid=True'] : []),
  ];
  const items =
    list && `items_of(${responseType}, lambda page: ${list.field ? `page.${snakeCase(list.field)}` : '[page]'})`;
  const inputs = ['connection', `"${method}"`, `"${path}"`, params?.name ?? 'no_params', response];
  const all = [...inputs, ...(items ? [items] : []), ...options].join(', ');
  const kind = list ? 'ListOperation' : responseType ? 'Operation' : 'StreamOperation';
  return `self.${snakeCase(verb)} = ${kind}(${all})\n${docstring(operation)}`;
};

const docstring = ({ summary, description }: ClientOperation) =>
  `"""${`${summary}.\n\n${description}`.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}\n"""`;

const apiClass = (groups: string[]) => `class Api:
    """A client of the service, with its operations by group."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
${groups.map((group) => `        self.${snakeCase(group)} = ${capitalize(group)}(connection)\n`).join('')}
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.async_client.aclose()`;

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
