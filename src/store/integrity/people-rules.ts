import type { IntegrityRule, Recount } from "./recount.ts";

export const unitRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "unit",
    from: "units t left join units p on p.id = t.parent_id",
    columns: { path: "coalesce(p.path, '/') || t.id || '/'", level: "coalesce(p.level + 1, 0)" },
  },
  {
    thing: "unit",
    from: `units t
      left join (select parent_id, count(*) as number from units group by parent_id) c on c.parent_id = t.id
      left join (select unit_id, count(*) as number from memberships group by unit_id) m on m.unit_id = t.id`,
    columns: {
      child_count: "coalesce(c.number, 0)",
      // The same range of paths as `afterPrefix` gives.
      descendant_count: "(select count(*) from units b where b.path > t.path and b.path < t.path || '\u{10FFFF}')",
      user_count: "coalesce(m.number, 0)",
    },
  },
  {
    thing: "unit",
    rows: `select id from units where parent_id is null
      and id > (select min(id) from units where parent_id is null)`,
    says: "has no parent although there is a root unit",
  },
];

const firstMembership = "select user_id, min(id) as id from memberships group by user_id";

const userRule = (condition: string, says: string): IntegrityRule => ({
  thing: "user",
  rows: `select id from users where ${condition}`,
  says,
});

export const userRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "user",
    from: `users t left join (${firstMembership}) f on f.user_id = t.id left join memberships m on m.id = f.id`,
    columns: { unit_id: "m.unit_id" },
  },
  userRule(
    "deleted_at is null and not exists (select 1 from memberships m where m.user_id = users.id)",
    "is in no unit",
  ),
  userRule("deleted_at is not null and id in (select user_id from memberships)", "is deleted but still in a unit"),
  userRule("deleted_at is not null and id in (select user_id from api_tokens)", "is deleted but still has API tokens"),
  {
    thing: "user",
    rows: "select distinct user_id as id from user_words where user_id not in (select id from users where deleted_at is null)",
    says: "is deleted or missing but still has search words",
  },
  userRule("active = 0 and id in (select user_id from sessions)", "is not active but still has sessions"),
  userRule(
    `deleted_at is not null and (two_factor_at is not null
       or id in (select user_id from two_factors union select user_id from recovery_codes))`,
    "is deleted but still has two factors",
  ),
  userRule(
    "two_factor_at is not null and id not in (select user_id from two_factors)",
    "needs a second factor to sign in but has none",
  ),
  userRule(
    "two_factor_at is null and id in (select user_id from recovery_codes)",
    "has recovery codes but no second factor",
  ),
  userRule("provider = 'service' and email_key is not null", "is a service account but has an e-mail address"),
  userRule("provider <> 'local' and password_hash is not null", "has a password but another provider than local"),
  {
    thing: "user",
    from: "users t",
    columns: { birthday_key: "cast(substr(t.birthday, 6, 2) || substr(t.birthday, 9, 2) as integer)" },
  },
  {
    thing: "instance",
    rows: `select id from instance where not exists (
      select 1 from users where admin = 1 and active = 1 and provider = 'local')`,
    says: "has no active administrator who can sign in",
  },
  {
    thing: "membership",
    rows: `select m.id from memberships m join departments d on d.id = m.department_id where d.unit_id <> m.unit_id`,
    says: "has a department of another unit",
  },
];

export const groupRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "group",
    from: `groups t left join (
      select group_id, count(*) as number from group_members group by group_id
    ) m on m.group_id = t.id`,
    columns: { member_count: "coalesce(m.number, 0)" },
  },
  {
    thing: "group",
    rows: `select group_id as id from group_members group by group_id
      having count(case when role = 'administrator' then 1 end) = 0`,
    says: "has members but no administrator",
  },
  {
    thing: "user",
    rows: `select distinct u.id from users u join group_members m on m.user_id = u.id where u.deleted_at is not null`,
    says: "is deleted but still in a group",
  },
];
