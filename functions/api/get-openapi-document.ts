import * as z from 'zod/mini';
import { describe, textField } from '../domain/describe.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';

/** Returns the generated OpenAPI document: the bundle has no other operation's definition. */
export const getOpenapiDocument = endpoint({
  name: 'getOpenapiDocument',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI document',
  description: 'Returns the OpenAPI 3.1 document of all operations, for client generators and API tools.',
  caller: { kind: 'anyone' },
  response: z
    .looseObject({
      openapi: textField('Version of OpenAPI.', '3.1.0'),
      info: z
        .looseObject({})
        .check(
          describe('Title and version of the interface.', { title: 'Voice Agent Platform API', version: '1.0.0' }),
        ),
      paths: z.looseObject({}).check(describe('The operations, by path and method.', {})),
    })
    .check(z.describe('The OpenAPI document.')),

  async handle() {
    const { default: document } = await import('../openapi/document.json', { with: { type: 'json' } });
    return document;
  },
});

export const handler = lambdaWithoutKey(getOpenapiDocument);
