-- Run as the administrator of PostgreSQL: psql -f postgresql-roles.sql
-- wcs_owner creates and migrates the tables; wcs_app, the user of wcs serve, only reads and changes their rows.
-- Set the passwords afterwards with \password wcs_owner and \password wcs_app.
create role wcs_owner login;
create role wcs_app login;
create database wcs owner wcs_owner;

\connect wcs

revoke all on database wcs from public;
grant connect on database wcs to wcs_app;
revoke all on schema public from public;
alter schema public owner to wcs_owner;
grant usage on schema public to wcs_app;

-- Also for the tables that migrations will create.
alter default privileges for role wcs_owner in schema public
  grant select, insert, update, delete on tables to wcs_app;
