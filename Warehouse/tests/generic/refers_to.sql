{# The columns name a row of another relation, unless one of them is null. #}
{% test refers_to(model, columns, to) %}
select {{ columns | map('tojson') | join(', ') }}
from {{ model }}
where true{% for column in columns %} and {{ column | tojson }} is not null{% endfor %}

except

select {{ columns | map('tojson') | join(', ') }}
from {{ to }}
{% endtest %}
