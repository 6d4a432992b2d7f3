import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';
import type * as z from 'zod/mini';
import { suggestCountry } from '../../functions/domain/countries.ts';
import type { ApiError } from '../../functions/domain/errors.ts';
import { Identifier, StoredIdentifier } from '../../functions/domain/identifiers.ts';
import { validate } from '../../functions/domain/validation.ts';

/** Joins the details of a validation error, without a final period. */
export const formatDetails = ({ details = [] }: ApiError) =>
  details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');

/** Parses an argument by a schema of the API. */
export const as =
  <S extends z.core.$ZodType>(schema: S) =>
  (text: string): z.infer<S> => {
    const { data, error } = validate(schema, text);
    if (error) throw new InvalidArgumentError(`It ${formatDetails(error)}.`);
    return data;
  };

/** Parses the id of a user, an agent, a key, a website or a document. */
export const identifier = as(StoredIdentifier);

/** Parses the id of a record that is created. */
export const newIdentifier = as(Identifier);

/** Parses a whole number within bounds. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < min || number > max) {
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max.toLocaleString('en')}.`);
  }
  return number;
};

/** Parses the address of the service. One service has one address, however it is written: without slashes at its end. */
export const baseUrl = (text: string) => {
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('It must be an address such as https://api.example.com.');
  }
  return url.href.replace(/\/+$/, '');
};

/** Resolves a path from the user's folder: npm runs scripts in the folder of the package. */
export const resolvePath = (file: string) => resolve(process.env.INIT_CWD ?? '.', file);

/** Parses the code of the country of phone numbers without a country code. */
export const country = (text: string): CountryCode => {
  const code = text.toUpperCase();
  if (isSupportedCountry(code)) return code;
  throw new InvalidArgumentError(`It must be a country code of two letters, such as ${suggestCountry(code) ?? 'DE'}.`);
};
