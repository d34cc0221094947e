select counted.departures, listed.departures as found
from (select coalesce(sum(departures), 0) as departures from {{ ref('churn_by_month') }}) as counted
cross join (select count(*) as departures from {{ source('subledger', 'departures') }}) as listed
where counted.departures <> listed.departures
